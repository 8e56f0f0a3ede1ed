import { useState } from 'react';
import type { EnvironmentVariablesFragment } from '../../generated/operations.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/Form.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { VariableValue } from '../../ui/VariableRows.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';

type VariablesProps = { readonly environment: EnvironmentVariablesFragment; readonly edit: () => void };

export function Variables({ environment: { variableSets }, edit }: VariablesProps) {
  const [selected, want] = useState<number>();
  const visible = variableSets.find(({ version }) => version === selected) ?? variableSets[0];
  return (
    <Section
      title={t('variables.title')}
      {...(visible && { count: t('launch.variables.version', { n: visible.version }) })}
      side={<AdminButton label={t('variables.edit')} press={edit} />}
    >
      {visible === undefined ? (
        <EmptyState>{t('variables.empty')}</EmptyState>
      ) : (
        <div className={styles.policy}>
          {variableSets.length > 1 && (
            <Select
              name="version"
              label={t('variables.version')}
              value={String(visible.version)}
              options={variableSets.map(({ version, createdBy }) => ({
                value: String(version),
                label: t('variables.version.by', { n: version, who: createdBy.displayName }),
              }))}
              onValue={(version) => want(Number(version))}
            />
          )}
          <p className="soft">
            {t('variables.saved', { who: visible.createdBy.displayName })} <Time at={visible.createdAt} />
          </p>
          <DataTable
            empty={t('variables.emptyVersion')}
            label={t('variables.title')}
            labelled
            rows={visible.variables}
            rowId={({ name }) => name}
            columns={[
              { name: t('variable.name'), width: '40%', cell: ({ name }) => <span className="code">{name}</span> },
              {
                name: t('variable.value'),
                className: 'breaks',
                cell: (variable) => <VariableValue variable={variable} />,
              },
            ]}
          />
        </div>
      )}
    </Section>
  );
}
