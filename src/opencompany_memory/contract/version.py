"""The version of the contract between the host and a driver.

A driver states the version it was built for. Another major refuses the bind, because a method may mean something else;
another minor binds, because minors only add.
"""

from typing import NamedTuple


class ContractVersion(NamedTuple):
    """`major.minor`. Equal to the plain tuple of the same numbers."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


CONTRACT_VERSION = ContractVersion(1, 0)
