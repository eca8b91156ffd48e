"""The behaviour suite for drivers: a pytest plugin for authors, and `opencompany memory conformance` for operators.

A third party writes one fixture in a test module and gets every behaviour as a test:

    @pytest.fixture
    async def memory_provider():
        async with open_my_provider() as provider:
            yield provider

Importing this package loads nothing; pytest imports it in every run of an environment where the host is installed.
"""
