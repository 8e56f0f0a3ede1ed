import { ProductNamesDocument } from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';
import { SelectFilter } from '../ui/Filters.tsx';

type ProductFilterProps = {
  /** Id of the product. */
  readonly value: string | undefined;
  readonly choose: (id: string | undefined) => void;
};

/** Filter of a list by product; absent while the tenant has no product to choose. */
export function ProductFilter({ value, choose }: ProductFilterProps) {
  const { data } = useLiveQuery(ProductNamesDocument, {}, ['Product']);
  const products = data?.products ?? [];
  return (
    <SelectFilter
      label={t('filter.product')}
      value={value}
      options={products.map(({ id, name }) => ({ value: id, label: name }))}
      unlisted={t('filter.product.gone')}
      choose={choose}
    />
  );
}
