import { ProductChoicesDocument, type TargetDetailFragment } from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { formatLabels, parseLabels } from '../../lib/label-text.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { Select, TextField } from '../../ui/Form.tsx';
import styles from './Environments.module.css';
import { field, t } from './labels.ts';

type ProductFieldsProps = Pick<TargetDetailFragment, 'product' | 'labels'>;

/** Fields for the product that a target carries, and for its labels, by which paths select their targets. */
export function ProductFields({ product, labels }: ProductFieldsProps) {
  const { data } = useLiveQuery(ProductChoicesDocument, {}, ['Product']);
  const products = data?.products ?? [];
  const others = product === null || products.some(({ id }) => id === product.id) ? products : [product, ...products];
  return (
    <div className={styles.pair}>
      <Select
        name="productId"
        label={t('target.product')}
        hint={t('target.product.hint')}
        options={[
          { value: '', label: t('target.product.none') },
          ...others.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        defaultValue={product?.id ?? ''}
      />
      <TextField {...field('labels', 'target.labels')} defaultValue={formatLabels(labels)} />
    </div>
  );
}

/** Product and labels as the form has them; the product only where it is another one. */
export function productInput({ text, wrong }: FormFields, before = '') {
  const labels = parseLabels(text('labels'));
  if (labels === undefined) wrong.push({ field: 'labels', message: t('target.labels.wrong'), code: 'NO_LABELS' });
  const productId = text('productId');
  return { labels: labels ?? [], ...(productId !== before && { productId: productId || null }) };
}

/** Problems of labels, which are one text in the form. */
export const byField = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ ...problem, field: problem.field.replace(/^labels\..*$/, 'labels') }));
