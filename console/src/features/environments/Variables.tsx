import { useState } from 'react';
import type { EnvironmentVariablesFragment } from '../../generated/operations.ts';
import { may } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Form.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { VariableWords } from '../../ui/VariableRows.tsx';
import styles from './Environments.module.css';
import { t } from './words.ts';

/** What releases find in their environment here, in each version that there was. */
export function Variables({
  environment: { variableSets },
  edit,
}: {
  readonly environment: EnvironmentVariablesFragment;
  readonly edit: () => void;
}) {
  const [wanted, want] = useState<number>();
  const shown = variableSets.find(({ version }) => version === wanted) ?? variableSets[0];
  return (
    <Section
      title={t('variables.title')}
      {...(shown && { count: t('launch.variables.version', { n: shown.version }) })}
      side={
        may('orch:admin') ? (
          <Button size="small" weight="plain" onClick={edit}>
            {t('variables.edit')}
          </Button>
        ) : (
          <span className="small quiet">{t('admin.rule')}</span>
        )
      }
    >
      {shown === undefined ? (
        <Empty>{t('variables.never')}</Empty>
      ) : (
        <div className={styles.policy}>
          {variableSets.length > 1 && (
            <Select
              name="version"
              label={t('variables.version')}
              value={String(shown.version)}
              options={variableSets.map(({ version, createdBy }) => ({
                value: String(version),
                label: t('variables.version.by', { n: version, who: createdBy.displayName }),
              }))}
              onValue={(version) => want(Number(version))}
            />
          )}
          <p className="soft">
            {t('variables.saved', { who: shown.createdBy.displayName })} <Time at={shown.createdAt} />
          </p>
          {shown.variables.length === 0 ? (
            <Empty>{t('variables.empty')}</Empty>
          ) : (
            <Table
              label={t('variables.title')}
              list
              labelled
              head={[{ name: t('variable.name'), width: '40%' }, { name: t('variable.value') }]}
            >
              {shown.variables.map((variable) => (
                <tr key={variable.name}>
                  <th scope="row">
                    <span className="code">{variable.name}</span>
                  </th>
                  <td data-label={t('variable.value')} className="breaks">
                    <VariableWords variable={variable} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </div>
      )}
    </Section>
  );
}
