import { useNavigate } from '@tanstack/react-router';
import { type CompareChoiceFragment, CompareChoicesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Button } from '../../ui/Button.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { Form, Select } from '../../ui/Form.tsx';
import { t } from './labels.ts';
import styles from './Releases.module.css';

type Option = { readonly value: string; readonly label: string };

/** Sides that a release may be compared with: what runs in an environment of its path, and releases of its product. */
export function useCompareOptions({ id, product, landscape }: CompareChoiceFragment): readonly Option[] {
  const { data } = useLiveQuery(CompareChoicesDocument, { productId: product.id });
  const releases = data?.releases.edges.map(({ node }) => node) ?? [];
  return [
    ...landscape.map(({ environment }) => ({
      value: environment.id,
      label: t('compare.environment', { where: environment.name }),
    })),
    ...releases.flatMap((other) => (other.id === id ? [] : { value: other.id, label: releaseName(other) })),
  ];
}

/** Choice of what a release is compared with; the comparison is a page of its own. */
export function CompareChoice({ release }: { readonly release: CompareChoiceFragment }) {
  const options = useCompareOptions(release);
  const navigate = useNavigate();
  if (options.length === 0) return null;
  return (
    <Form
      submit={(data) => {
        const other = data.get('other');
        if (typeof other !== 'string') return;
        void navigate({ to: '/releases/$id/compare/$other', params: { id: release.id, other } });
      }}
    >
      <div className={`${styles.compare} ${styles.choice}`}>
        <Select name="other" label={t('compare.with')} options={options} />
        <Button type="submit">{t('compare.verb')}</Button>
      </div>
    </Form>
  );
}
