"""What a schedule was worth: metrics, time lines, breakdowns, statistics and comparisons.

Stands between the schedules that the engine makes and whoever shows them. Needs numpy alone; every
result but an array or a time line is ready for JSON.
"""

from molokini.metrics.breakdown import breakdown as breakdown
from molokini.metrics.jobs import JOB_METRICS as JOB_METRICS
from molokini.metrics.jobs import JobTimes as JobTimes
from molokini.metrics.jobs import job_times as job_times
from molokini.metrics.jobs import job_values as job_values
from molokini.metrics.measures import Measures as Measures
from molokini.metrics.measures import loss_of_capacity as loss_of_capacity
from molokini.metrics.measures import measure as measure
from molokini.metrics.measures import number as number
from molokini.metrics.timelines import Steps as Steps
from molokini.metrics.timelines import busy_processors as busy_processors
from molokini.metrics.timelines import queue_length as queue_length
from molokini.metrics.timelines import waiting_processors as waiting_processors
