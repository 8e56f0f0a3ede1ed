import { useState } from 'react';
import type { EnvironmentVariablesFragment } from '../../generated/operations.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/Form.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { VariableValue } from '../../ui/VariableRows.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';

/** Variables of an environment, in each version. */
export function Variables({
  environment: { variableSets },
  edit,
}: {
  readonly environment: EnvironmentVariablesFragment;
  readonly edit: () => void;
}) {
  const [wanted, want] = useState<number>();
  const visible = variableSets.find(({ version }) => version === wanted) ?? variableSets[0];
  return (
    <Section
      title={t('variables.title')}
      {...(visible && { count: t('launch.variables.version', { n: visible.version }) })}
      side={
        hasScope('orch:admin') ? (
          <Button size="small" weight="plain" onClick={edit}>
            {t('variables.edit')}
          </Button>
        ) : (
          <span className="small quiet">{t('admin.rule')}</span>
        )
      }
    >
      {visible === undefined ? (
        <EmptyState>{t('variables.never')}</EmptyState>
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
          {visible.variables.length === 0 ? (
            <EmptyState>{t('variables.empty')}</EmptyState>
          ) : (
            <DataTable
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
          )}
        </div>
      )}
    </Section>
  );
}
