import { useState } from 'react';
import {
  CreateReleaseSourceDocument,
  ProductSourcesDocument,
  type SourceRowFragment,
  UpdateReleaseSourceDocument,
} from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Checkbox, SegmentedControl, Select, TextField } from '../../ui/Form.tsx';
import styles from './Products.module.css';
import {
  DEFAULTS,
  POLICIES,
  RULE_FIELDS,
  SCHEMES,
  SELECTION_KINDS,
  type SelectionDraft,
  sourceSettings,
} from './source-input.ts';
import { field, t } from './source-labels.ts';

type Declared = readonly { readonly name: string; readonly repository: string }[];
type CreateSourceProps = {
  readonly product: { readonly id: string; readonly components: Declared | null };
  readonly close: () => void;
};

/** Adds a source. The repository is that of the declared component; it is asked for where none are declared. */
export function CreateSource({ product: { id, components }, close }: CreateSourceProps) {
  const [draft, write] = useState<SelectionDraft>({ kind: 'SEMVER', includePrereleases: false });
  return (
    <FormDialog
      document={CreateReleaseSourceDocument}
      input={(fields) => {
        fields.need('component');
        if (components === null) fields.need('repository');
        return {
          productId: id,
          component: fields.text('component'),
          ...(components === null && { repository: fields.text('repository') }),
          ...sourceSettings(fields, draft),
        };
      }}
      done={({ createReleaseSource: { component } }) => t('source.created', { component })}
      refetch={[ProductSourcesDocument]}
      title={t('source.create.title')}
      verb={t('source.create.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('source.lead')}</p>
      {components === null ? (
        <div className={styles.pair}>
          <TextField {...field('component', 'source.component')} maxLength={64} required autoFocus />
          <TextField {...field('repository', 'source.repository')} maxLength={400} required />
        </div>
      ) : (
        <Select
          name="component"
          label={t('source.component')}
          hint={t('source.repository.declared')}
          options={components.map(({ name, repository }) => ({ value: name, label: `${name} (${repository})` }))}
        />
      )}
      <SourceFields draft={draft} write={write} />
    </FormDialog>
  );
}

type EditSourceProps = { readonly source: SourceRowFragment; readonly close: () => void };

export function EditSource({ source, close }: EditSourceProps) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [{ id, version, component, selection }] = useState(source);
  const [draft, write] = useState<SelectionDraft>({
    kind: selection.kind,
    includePrereleases: selection.includePrereleases ?? false,
  });
  return (
    <FormDialog
      document={UpdateReleaseSourceDocument}
      input={(fields) => ({ id, expectedVersion: version, ...sourceSettings(fields, draft) })}
      done={t('source.saved', { component })}
      title={t('source.title.edit', { component })}
      verb={t('save')}
      wide
      close={close}
    >
      <p className="soft">{t('source.change.lead')}</p>
      <SourceFields source={source} draft={draft} write={write} />
    </FormDialog>
  );
}

type SourceFieldsProps = {
  readonly source?: SourceRowFragment;
  readonly draft: SelectionDraft;
  readonly write: (draft: SelectionDraft) => void;
};

function SourceFields({ source, draft, write }: SourceFieldsProps) {
  const { kind, includePrereleases } = draft;
  const { policy, versionScheme, debounceSeconds, intervalSeconds } = source ?? DEFAULTS;
  return (
    <>
      <SegmentedControl
        label={t('selection.kind')}
        value={kind}
        options={SELECTION_KINDS.map((value) => ({ value, label: t(`selection.kind.${value}`) }))}
        choose={(next) => write({ ...draft, kind: next })}
      />
      <RuleField key={kind} kind={kind} selection={source?.selection} />
      {kind === 'SEMVER' && (
        <Checkbox
          label={t('selection.prereleases')}
          checked={includePrereleases}
          onValue={(next) => write({ ...draft, includePrereleases: next })}
        />
      )}
      <div className={styles.pair}>
        <Select
          {...field('policy', 'source.policy')}
          options={POLICIES.map((value) => ({ value, label: t(`source.policy.${value}`) }))}
          defaultValue={policy}
        />
        <Select
          {...field('versionScheme', 'source.scheme')}
          options={SCHEMES.map((value) => ({ value, label: t(`source.scheme.${value}`) }))}
          defaultValue={versionScheme}
        />
        <TextField
          {...field('debounceSeconds', 'source.debounce')}
          defaultValue={String(debounceSeconds)}
          inputMode="numeric"
        />
        <TextField
          {...field('intervalSeconds', 'source.interval')}
          defaultValue={String(intervalSeconds)}
          inputMode="numeric"
        />
      </div>
    </>
  );
}

/** Place of the build number in a pattern. */
const BUILD = '{build}';

type RuleFieldProps = {
  readonly kind: SelectionDraft['kind'];
  readonly selection: SourceRowFragment['selection'] | undefined;
};

function RuleField({ kind, selection }: RuleFieldProps) {
  const name = RULE_FIELDS[kind];
  const saved = { SEMVER: selection?.range, BUILD: selection?.pattern, TAG: selection?.tag }[kind];
  return (
    <TextField
      {...field(name, name)}
      {...(kind === 'BUILD' && { hint: t('selection.pattern.note', { build: BUILD }), placeholder: `main-${BUILD}` })}
      defaultValue={saved ?? ''}
      maxLength={200}
      required
    />
  );
}
