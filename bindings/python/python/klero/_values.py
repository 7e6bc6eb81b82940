"""The values of the package that have no secrets: plain data."""

from __future__ import annotations

from typing import TypedDict


class Columns(TypedDict, total=False):
    """The names that a table has for columns of Klero, where they are others: ``{"key": "pk"}``."""

    key: str
    alpha: str
    proof: str
    output: str
    suite: str
    seed: str
    verdict: str


Columns.__module__ = "klero"
