import type { PathEnvironmentFragment, ProductPathFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import styles from './PathGraph.module.css';
import type { Draft } from './path-draft.ts';
import type { Condition, Conditions, PathEffect } from './path-effect.ts';
import { afterText, approvalsText, evidenceText, type Names } from './StepConditions.tsx';

type EffectProps = {
  readonly product: ProductPathFragment;
  readonly environments: readonly PathEnvironmentFragment[];
  readonly effect: PathEffect;
  readonly draft: Draft;
  readonly isChanged: boolean;
};

/** Effect of saving a path: steps that come, go or change, promotions that lose their step, and ways that open. */
export function Effect({ product, environments, effect, draft, isChanged }: EffectProps) {
  const names: Names = new Map(environments.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const { added, removed, changed, skips, cycle } = effect;
  const open = product.environments
    .filter(({ environment }) => removed.includes(environment.id))
    .flatMap(({ environment, promotions }) => promotions.map((promotion) => ({ environment, promotion })));
  return (
    <Section title={t('effect.title')}>
      <ul className={styles.effect} aria-live="polite">
        {!isChanged && <li className="quiet">{t('effect.none')}</li>}
        {isChanged && draft.isInOrder && <li>{t('effect.inOrder')}</li>}
        {cycle.length > 0 && (
          <li>
            <StateLabel look="failed" wrap>
              {t('effect.cycle', { where: listText(cycle.map(nameOf)) })}
            </StateLabel>
          </li>
        )}
        {added.map((id) => (
          <li key={`added ${id}`}>{t('effect.added', { where: nameOf(id) })}</li>
        ))}
        {removed.map((id) => (
          <li key={`removed ${id}`}>{t('effect.removed', { where: nameOf(id) })}</li>
        ))}
        {open.map(({ environment, promotion }) => (
          <li key={promotion.id}>
            <StateLabel look="attention" wrap>
              {t('effect.promotion', { what: promotion.release.semver, where: environment.name })}
            </StateLabel>
          </li>
        ))}
        {skips.map(({ id, without }) => (
          <li key={`skips ${id}`}>
            <StateLabel look="attention" wrap>
              {t('effect.skips', { where: nameOf(id), without: listText(without.map(nameOf)) })}
            </StateLabel>
          </li>
        ))}
        {changed.map(({ id, what, before, after }) => (
          <li key={`changed ${id}`}>
            {t('effect.changed', { where: nameOf(id) })}{' '}
            {groupsOf(what).map((group) => (
              <span key={group} className="soft">
                {t('effect.change', {
                  what: t(`effect.what.${group}`),
                  before: conditionText(group, before, names),
                  after: conditionText(group, after, names),
                })}{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Conditions that are told in one sentence: what comes before, and whether all of it must. */
const groupsOf = (what: readonly Condition[]): Exclude<Condition, 'need'>[] => [
  ...new Set(what.map((each) => (each === 'need' ? 'after' : each))),
];

function conditionText(what: Exclude<Condition, 'need'>, conditions: Conditions, names: Names): string {
  switch (what) {
    case 'after':
      return afterText(conditions, names);
    case 'approvals':
      return approvalsText(conditions);
    case 'evidence':
      return evidenceText(conditions);
    case 'duties':
      return t(`step.duties.${conditions.duties}`);
    case 'labels':
      return conditions.labels || t('effect.anyTarget');
  }
}
