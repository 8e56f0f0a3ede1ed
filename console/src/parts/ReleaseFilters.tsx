import type { ReleaseStatus } from '../generated/operations.ts';
import { RELEASE_STATUSES } from '../lib/enums.ts';
import { t } from '../lib/i18n.ts';
import { ChipGroup, TextFilter } from '../ui/Filters.tsx';
import { ProductFilter } from './ProductFilter.tsx';

type Filtered = {
  readonly product?: string | undefined;
  readonly name?: string | undefined;
  readonly status?: ReleaseStatus | undefined;
};
type ReleaseFiltersProps = {
  readonly list: { readonly view: Filtered; readonly filterBy: (next: Filtered) => void };
};

/** Filter of the graph for the filters of a list of releases. */
export const releaseFilter = ({ product, name, status }: Filtered) => ({
  ...(product && { productId: product }),
  ...(status && { status }),
  ...(name && { name }),
});

export const ReleaseFilters = ({ list: { view, filterBy } }: ReleaseFiltersProps) => (
  <>
    <ProductFilter value={view.product} choose={(product) => filterBy({ product })} />
    <TextFilter label={t('releases.find')} value={view.name} find={(name) => filterBy({ name })} />
    <ChipGroup
      value={view.status}
      options={RELEASE_STATUSES}
      label={(status) => t(`release.${status}`)}
      choose={(status) => filterBy({ status })}
    />
  </>
);
