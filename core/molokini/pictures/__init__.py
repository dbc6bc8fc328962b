"""Pictures of schedules and workloads: the only part of Molokini that imports matplotlib.

Every function returns a figure that belongs to no window system; ``save`` writes it as PNG, SVG or PDF.
Text from outside (names of logs, users, policies) is drawn to the letter, never read as markup.
"""

from molokini.model.errors import MissingExtra

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise MissingExtra("matplotlib", "pictures", "drawing a picture") from error

from molokini.pictures.comparison import comparison as comparison
from molokini.pictures.convergence import convergence as convergence
from molokini.pictures.difference import difference as difference
from molokini.pictures.distributions import distributions as distributions
from molokini.pictures.files import checked_format as checked_format
from molokini.pictures.files import save as save
from molokini.pictures.fits import fit_picture as fit_picture
from molokini.pictures.gantt import gantt as gantt
from molokini.pictures.log_comparison import logs_compared as logs_compared
from molokini.pictures.matrix import matrix_picture as matrix_picture
from molokini.pictures.overview import overview as overview
from molokini.pictures.overview import overview_many as overview_many
from molokini.pictures.panels import panels as panels
from molokini.pictures.parts import Parts as Parts
from molokini.pictures.processes import process_timeline as process_timeline
from molokini.pictures.rows import rows_over_time as rows_over_time
from molokini.pictures.timeline import timeline as timeline
from molokini.pictures.workload_picture import workload_picture as workload_picture
