import { currentLocale } from '../../lib/i18n.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { labelOr, t } from './labels.ts';
import { comparePolicies, isChanged, isWeight, type PolicyChange } from './policy-changes.ts';

type PolicyComparisonProps = {
  readonly label: string;
  /** Documents of two versions, as JSON. */
  readonly before: string;
  readonly after: string;
};

/** Weights of a policy beside those before it, and every other value that differs. */
export const PolicyComparison = ({ label, before, after }: PolicyComparisonProps) => (
  <DataTable
    label={label}
    rows={comparePolicies(before, after)}
    rowId={({ path }) => path}
    columns={columns()}
    labelled
  />
);

const MILLION = 1_000_000;

/** Share in parts per million as a percentage with every digit of it. */
export const shareText = (ppm: number, signDisplay: 'auto' | 'always' = 'auto'): string =>
  new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 4, signDisplay }).format(
    ppm / MILLION,
  );

const columns = (): Column<PolicyChange>[] => [
  {
    name: t('policy.value'),
    className: 'breaks',
    cell: ({ path }) => (isWeight(path) ? labelOr(`policy.weight.${path.slice('weights.'.length)}`, path) : path),
  },
  {
    name: t('policy.value.before'),
    className: 'breaks',
    cell: ({ path, before }) => <Value path={path} value={before} />,
  },
  {
    name: t('policy.value.after'),
    className: 'breaks',
    cell: ({ path, after }) => <Value path={path} value={after} />,
  },
  { name: t('policy.value.change'), number: true, cell: (change) => <Difference change={change} /> },
];

type ValueProps = { readonly path: string; readonly value: string | undefined };

function Value({ path, value }: ValueProps) {
  if (value === undefined) return <span className="quiet">{t('policy.removed')}</span>;
  return isWeight(path) ? shareText(Number(value)) : <span className="code">{value}</span>;
}

/** Difference of two numbers, with its sign; nothing where a value is no number. */
function Difference({ change }: { readonly change: PolicyChange }) {
  if (!isChanged(change)) return <span className="quiet">{t('policy.value.same')}</span>;
  const difference = Number(change.after) - Number(change.before);
  if (Number.isNaN(difference)) return null;
  if (isWeight(change.path)) return <b>{shareText(difference, 'always')}</b>;
  return <b>{new Intl.NumberFormat(currentLocale(), { signDisplay: 'always' }).format(difference)}</b>;
}
