"""Every claim of the paper, in its order."""

from molokini.studies.zhang2001_integrated import claims_backfilling, claims_migration, claims_sharing

CLAIMS = [*claims_backfilling.SAID.made, *claims_sharing.SAID.made, *claims_migration.SAID.made]
