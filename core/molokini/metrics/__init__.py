"""What a schedule was worth: metrics, time lines, breakdowns, statistics and comparisons.

Stands between the schedules that the engine makes and the programs that show them. Needs numpy alone;
every result but an array or a time line is ready for JSON.
"""

from molokini.metrics.breakdown import breakdown as breakdown
from molokini.metrics.cells import Cell as Cell
from molokini.metrics.cells import aggregate_cells as aggregate_cells
from molokini.metrics.cells import table as table
from molokini.metrics.comparison import Comparison as Comparison
from molokini.metrics.comparison import Difference as Difference
from molokini.metrics.comparison import compare_replications as compare_replications
from molokini.metrics.comparison import compare_schedules as compare_schedules
from molokini.metrics.intervals import BatchMeans as BatchMeans
from molokini.metrics.intervals import aggregate as aggregate
from molokini.metrics.intervals import batch_means as batch_means
from molokini.metrics.intervals import mean_with_interval as mean_with_interval
from molokini.metrics.intervals import running_average as running_average
from molokini.metrics.intervals import running_interval as running_interval
from molokini.metrics.job_measures import JOB_METRICS as JOB_METRICS
from molokini.metrics.job_measures import JobTimes as JobTimes
from molokini.metrics.job_measures import job_times as job_times
from molokini.metrics.job_measures import job_values as job_values
from molokini.metrics.labels import labels as labels
from molokini.metrics.measures import Measures as Measures
from molokini.metrics.measures import loss_of_capacity as loss_of_capacity
from molokini.metrics.measures import measure as measure
from molokini.metrics.measures import number as number
from molokini.metrics.start_changes import start_changes as start_changes
from molokini.metrics.student import t_quantile as t_quantile
from molokini.metrics.timelines import Steps as Steps
from molokini.metrics.timelines import busy_processors as busy_processors
from molokini.metrics.timelines import queue_length as queue_length
from molokini.metrics.timelines import waiting_processors as waiting_processors
