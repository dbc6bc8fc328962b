"""Every claim of the paper, in its order."""

from molokini.studies.claims import Claim
from molokini.studies.zhang2001_integrated import claims_backfilling, claims_migration, claims_sharing

CLAIMS: tuple[Claim, ...] = (*claims_backfilling.CLAIMS, *claims_sharing.CLAIMS, *claims_migration.CLAIMS)
