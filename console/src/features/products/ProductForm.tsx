import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CreateProductDocument,
  type ProductQuery,
  type ProductSettingsFragment,
  RemoveProductDocument,
  UpdateProductDocument,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { formatLabels, parseLabels } from '../../lib/label-text.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { ConfirmAction, FormDialog } from '../../parts/dialogs.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import { type ComponentRow, ComponentRows, componentsOf, rowsOf } from './ComponentRows.tsx';
import { field, t } from './labels.ts';
import styles from './Products.module.css';

/** Settings of a product as the form has them. Without a declaration its releases choose their components. */
function settingsOf({ text, wrong }: FormFields, rows: readonly ComponentRow[] | undefined) {
  const labels = parseLabels(text('labels'));
  if (labels === undefined) wrong.push({ field: 'labels', message: t('labels.wrong'), code: 'NO_LABELS' });
  return {
    description: text('description'),
    // Names of groups may have spaces.
    ownerGroups: text('ownerGroups')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    labels: labels ?? [],
    components: rows === undefined ? null : componentsOf(rows),
  };
}

/** Problems of labels and owner groups, whose fields have all of them in one text. */
const byField = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ ...problem, field: problem.field.replace(/^(labels|ownerGroups)\..*$/, '$1') }));

export function CreateProduct({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [rows, write] = useState<readonly ComponentRow[]>();
  return (
    <FormDialog
      document={CreateProductDocument}
      input={(fields) => {
        fields.need('name');
        const { description, components, ...settings } = settingsOf(fields, rows);
        return {
          name: fields.text('name'),
          ...settings,
          ...(description !== '' && { description }),
          ...(components !== null && { components }),
        };
      }}
      problems={byField}
      onDone={({ createProduct: { id } }) => navigate({ to: '/products/$id', params: { id } })}
      title={t('product.create')}
      verb={t('product.create')}
      wide
      close={close}
    >
      <TextField {...field('name', 'product.name')} maxLength={64} required autoFocus />
      <SettingsFields product={undefined} />
      <ComponentRows rows={rows} change={write} />
    </FormDialog>
  );
}

type ProductDialogProps = { readonly product: ProductSettingsFragment; readonly close: () => void };

export function EditProduct({ product, close }: ProductDialogProps) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [{ id, version, components }] = useState(product);
  const [rows, write] = useState<readonly ComponentRow[] | undefined>(() =>
    components ? rowsOf(components) : undefined,
  );
  return (
    <FormDialog
      document={UpdateProductDocument}
      input={(fields) => {
        const { description, ...settings } = settingsOf(fields, rows);
        return { id, expectedVersion: version, description: description || null, ...settings };
      }}
      problems={byField}
      done={({ updateProduct: { name } }) => t('product.saved', { name })}
      title={t('product.edit.title', { name: product.name })}
      verb={t('save')}
      wide
      close={close}
    >
      <SettingsFields product={product} />
      <ComponentRows rows={rows} change={write} />
    </FormDialog>
  );
}

function SettingsFields({ product }: { readonly product: ProductSettingsFragment | undefined }) {
  return (
    <>
      <TextArea
        name="description"
        label={t('product.description')}
        defaultValue={product?.description ?? ''}
        maxLength={2000}
        rows={2}
      />
      <div className={styles.pair}>
        <TextField {...field('ownerGroups', 'product.owners')} defaultValue={product?.ownerGroups.join(', ') ?? ''} />
        <TextField {...field('labels', 'product.labels')} defaultValue={formatLabels(product?.labels ?? [])} />
      </div>
    </>
  );
}

type RemoveProductProps = ProductDialogProps & { readonly releases: ProductQuery['releases'] };

/** Removes a product that no target belongs to, after saying how many releases go no further. */
export function RemoveProduct({ product: { id, name, version }, releases, close }: RemoveProductProps) {
  const navigate = useNavigate();
  const isMore = releases.pageInfo.hasNextPage;
  return (
    <ConfirmAction
      document={RemoveProductDocument}
      input={{ id, expectedVersion: version }}
      title={t('product.remove.title', { name })}
      lead={t(isMore ? 'product.remove.lead.more' : 'product.remove.lead', { n: releases.edges.length })}
      verb={t('product.remove.verb')}
      done={t('product.removed', { name })}
      onDone={() => navigate({ to: '/products' })}
      close={close}
    />
  );
}
