import type { ReleaseStatus } from '../generated/operations.ts';
import { RELEASE_STATUSES } from '../lib/enums.ts';
import { t } from '../lib/i18n.ts';
import { ChipGroup, TextFilter } from '../ui/Filters.tsx';

type Filtered = { readonly name?: string | undefined; readonly status?: ReleaseStatus | undefined };
type ReleaseFiltersProps = {
  readonly list: { readonly view: Filtered; readonly filterBy: (next: Filtered) => void };
};

export const ReleaseFilters = ({ list: { view, filterBy } }: ReleaseFiltersProps) => (
  <>
    <TextFilter label={t('releases.find')} value={view.name} find={(name) => filterBy({ name })} />
    <ChipGroup
      value={view.status}
      options={RELEASE_STATUSES}
      label={(status) => t(`release.${status}`)}
      choose={(status) => filterBy({ status })}
    />
  </>
);
