# caught by: hands_out_a_flat_task/values
"""Gives the ttl in seconds."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def create_task_result(job):
    return {**solved.create_task_result(job), "ttlMs": job.ttl_ms // 1000}
