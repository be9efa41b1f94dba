"""The parts that the exercises build, and that the 2026 server is assembled from."""
from __future__ import annotations

import importlib
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Callable

EXERCISES = {"requests": "ex06_stateless_requests", "handles": "ex07_task_handles", "creation": "ex08_create_once",
             "leases": "ex09_leases_and_checkpoints", "input": "ex10_input_required", "owners": "ex11_owners_and_scopes",
             "audit": "ex12_two_instances"}


@dataclass(frozen=True)
class Pieces:
    """One module an exercise: its solution, or a learner's answer to it."""
    requests: ModuleType
    handles: ModuleType
    creation: ModuleType
    leases: ModuleType
    input: ModuleType
    owners: ModuleType
    audit: ModuleType


def gathered(choose: Callable[[str], ModuleType]) -> Pieces:
    """All pieces; choose(exercise) gives the module for one."""
    return Pieces(**{one.name: choose(EXERCISES[one.name]) for one in fields(Pieces)})


def solutions() -> Pieces:
    """The lab's own pieces."""
    return gathered(lambda exercise: importlib.import_module(f"lessons.{exercise}.solution"))
