"""Pictures of schedules and workloads: the only part of Molokini that imports matplotlib.

Every function returns a figure that belongs to no window system; ``save`` writes it as PNG, SVG or PDF.
Text from outside (names of logs, users, policies) is drawn to the letter, never read as markup.
"""

from molokini.model.errors import MissingExtra

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise MissingExtra("matplotlib", "pictures", "drawing a picture") from error

from molokini.plots.comparison import comparison as comparison
from molokini.plots.convergence import convergence as convergence
from molokini.plots.cpu_charts import process_timeline as process_timeline
from molokini.plots.difference import difference as difference
from molokini.plots.distributions import distributions as distributions
from molokini.plots.files import checked_format as checked_format
from molokini.plots.files import save as save
from molokini.plots.fits import fit_picture as fit_picture
from molokini.plots.gantt import gantt as gantt
from molokini.plots.log_comparison import logs_compared as logs_compared
from molokini.plots.matrix_chart import matrix_picture as matrix_picture
from molokini.plots.overview import overview as overview
from molokini.plots.overview import overview_many as overview_many
from molokini.plots.panels import panels as panels
from molokini.plots.parts import Parts as Parts
from molokini.plots.row_charts import rows_over_time as rows_over_time
from molokini.plots.timeline import timeline as timeline
from molokini.plots.workload_picture import workload_picture as workload_picture
