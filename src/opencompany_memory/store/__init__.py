"""The built-in store: SQLite behind the same seam as any other driver.

One file per company (see `files`), so that what one company stores can't change the ranking, the scores or the latency
of another, its memory can be removed whole, and a lock is never shared between companies.
"""
