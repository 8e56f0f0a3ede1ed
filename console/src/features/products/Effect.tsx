import type { PathEnvironmentFragment, ProductPathFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import styles from './PathGraph.module.css';
import type { DraftStep } from './path-draft.ts';
import type { Condition, Conditions } from './path-effect.ts';
import { afterText, approvalsText, evidenceText, type Names } from './StepConditions.tsx';
import { countTargets, type StepTarget } from './step-targets.ts';
import type { PathDraft } from './use-path-draft.ts';

type EffectProps = {
  readonly product: ProductPathFragment;
  readonly environments: readonly PathEnvironmentFragment[];
  readonly path: PathDraft;
  readonly targets: readonly StepTarget[];
};

/** Effect of saving a path: what follows the environments, steps that come, go or change, targets, and what is under way. */
export function Effect({ product, environments, path, targets }: EffectProps) {
  const { draft, before, effect, isChanged } = path;
  const names: Names = new Map(environments.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const { added, removed, changed, skips, cycle } = effect;
  return (
    <Section title={t('effect.title')}>
      <ul className={styles.effect} aria-live="polite">
        {!isChanged && <li className="quiet">{t('effect.none')}</li>}
        {isChanged && draft.isInOrder && <li>{t('effect.inOrder')}</li>}
        {isChanged && before.isInOrder && !draft.isInOrder && <li>{t('effect.own')}</li>}
        {cycle.length > 0 && (
          <Warning look="failed">{t('effect.cycle', { where: listText(cycle.map(nameOf)) })}</Warning>
        )}
        {added.map((id) => (
          <li key={`added ${id}`}>{t('effect.added', { where: nameOf(id) })}</li>
        ))}
        {removed.map((id) => (
          <li key={`removed ${id}`}>{t('effect.removed', { where: nameOf(id) })}</li>
        ))}
        <InProgress product={product} removed={removed} />
        {skips.map(({ id, without }) => (
          <Warning key={`skips ${id}`}>
            {t('effect.skips', { where: nameOf(id), without: listText(without.map(nameOf)) })}
          </Warning>
        ))}
        {changed.map(({ id, what: name, before: previous, after }) => (
          <li key={`changed ${id}`}>
            {t('effect.changed', { where: nameOf(id) })}{' '}
            {groupsOf(name).map((group) => (
              <span key={group} className="soft">
                {t('effect.change', {
                  what: t(`effect.what.${group}`),
                  before: conditionText(group, previous, names),
                  after: conditionText(group, after, names),
                })}{' '}
              </span>
            ))}
          </li>
        ))}
        {draft.steps.map((step) => (
          <Targets key={`targets ${step.id}`} step={step} targets={targets} name={nameOf(step.id)} />
        ))}
      </ul>
    </Section>
  );
}

type WarningProps = { readonly look?: 'attention' | 'failed'; readonly children: string };

const Warning = ({ look = 'attention', children }: WarningProps) => (
  <li>
    <StateLabel look={look} wrap>
      {children}
    </StateLabel>
  </li>
);

type InProgressProps = { readonly product: ProductPathFragment; readonly removed: readonly string[] };

/** Deployments and promotions that are under way in steps that leave the path. */
const InProgress = ({ product, removed }: InProgressProps) =>
  product.environments
    .filter(({ environment }) => removed.includes(environment.id))
    .flatMap(({ environment: { name: location }, newestDeployment: newest, promotions }) => [
      ...(newest && newest.waitsFor !== null
        ? [
            <Warning key={newest.id}>
              {t('effect.deployment', { what: newest.release.semver, where: location })}
            </Warning>,
          ]
        : []),
      ...promotions.map(({ id, release }) => (
        <Warning key={id}>{t('effect.promotion', { what: release.semver, where: location })}</Warning>
      )),
    ]);

type TargetsProps = { readonly step: DraftStep; readonly targets: readonly StepTarget[]; readonly name: string };

/** Targets that the selector of a step matches; a step with targets and without a selector needs no word. */
function Targets({ step, targets, name: location }: TargetsProps) {
  const { n, of } = countTargets(step, targets);
  const labels = step.labels.trim();
  if (of === 0) return <Warning>{t('effect.noTarget', { where: location })}</Warning>;
  if (labels === '') return null;
  if (n === undefined) return <Warning look="failed">{t('effect.wrongLabels', { where: location, labels })}</Warning>;
  return n === 0 ? (
    <Warning>{t('effect.noMatch', { where: location, labels })}</Warning>
  ) : (
    <li>{t('effect.targets', { where: location, labels, n, of })}</li>
  );
}

/** Conditions that one sentence describes: what comes before, and whether all of it must. */
const groupsOf = (name: readonly Condition[]): Exclude<Condition, 'need'>[] => [
  ...new Set(name.map((each) => (each === 'need' ? 'after' : each))),
];

function conditionText(name: Exclude<Condition, 'need'>, conditions: Conditions, names: Names): string {
  switch (name) {
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
