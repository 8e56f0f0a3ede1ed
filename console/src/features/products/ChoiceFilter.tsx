import { SelectFilter } from '../../ui/Filters.tsx';

type ChoiceFilterProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly choose: (value: string | undefined) => void;
};

/** Filter by one of many values that are their own labels. */
export const ChoiceFilter = ({ options, ...filter }: ChoiceFilterProps) => (
  <SelectFilter options={options.map((value) => ({ value, label: value }))} {...filter} />
);
