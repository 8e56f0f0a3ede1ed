import { ChipGroup, TextFilter } from '../../ui/Filters.tsx';
import { t } from './labels.ts';

type AccountView = {
  readonly text?: string | undefined;
  readonly active?: 'yes' | 'no' | undefined;
  readonly after?: string | undefined;
};
type AccountFiltersProps = {
  readonly find: string;
  readonly list: { readonly view: AccountView; readonly filterBy: (next: AccountView) => void };
};

/** Filters of a list of people or clients: a part of the name, and whether they are active. */
export const AccountFilters = ({ find, list: { view, filterBy } }: AccountFiltersProps) => (
  <>
    <TextFilter label={find} value={view.text} find={(text) => filterBy({ text })} />
    <ChipGroup
      value={view.active}
      options={['yes', 'no']}
      label={(value) => t(`accountActive.${value}`)}
      choose={(active) => filterBy({ active })}
    />
  </>
);

export const accountVariables = ({ text, active, after }: AccountView) => ({
  filter: { ...(text && { text }), ...(active && { active: active === 'yes' }) },
  after: after ?? null,
});
