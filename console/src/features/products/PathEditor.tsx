import { useState } from 'react';
import type { PathEnvironmentFragment, ProductPathFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Effect } from './Effect.tsx';
import { t } from './labels.ts';
import styles from './PathGraph.module.css';
import { PathGraph } from './PathGraph.tsx';
import { addStep, draftInOrder, removeStep } from './path-draft.ts';
import { directEdges } from './path-edges.ts';
import { conditionsOf } from './path-effect.ts';
import { StepConditions } from './StepConditions.tsx';
import { stepMessage } from './step-message.ts';
import type { PathDraft } from './use-path-draft.ts';

type PathEditorProps = {
  readonly product: ProductPathFragment;
  readonly environments: readonly PathEnvironmentFragment[];
  readonly path: PathDraft;
  /** Step that is open beside the graph. */
  readonly chosen: string | undefined;
  readonly choose: (id: string | undefined) => void;
  readonly close: () => void;
};

/** Path of a product while it is edited on its graph, with the effect of saving it. */
export function PathEditor({ product, environments, path, chosen, choose, close }: PathEditorProps) {
  const { draft, change, isChanged, effect, refusal, busy, save } = path;
  const names = new Map(environments.map(({ id, name }) => [id, name]));
  const absent = environments.filter(({ id }) => !draft.steps.some((step) => step.id === id));
  const submit = async () => {
    if (!(await save())) return;
    toast(t('path.saved'));
    close();
  };
  useCommands([
    { id: 'path.save', keys: 's', title: t('path.save'), run: () => isChanged && void submit() },
    { id: 'path.discard', title: t('path.discard'), run: close },
  ]);
  return (
    <>
      <Section
        title={t('path.title')}
        count={<Badge tone="attention">{t('path.editing')}</Badge>}
        bare
        side={
          <>
            <Button size="small" onClick={close}>
              {t(isChanged ? 'path.discard' : 'cancel')}
            </Button>
            <Button size="small" weight="primary" busy={busy} off={!isChanged} onClick={() => void submit()}>
              {t('path.save')}
            </Button>
          </>
        }
      >
        <ActionError problem={refusal} />
        {draft.steps.length === 0 ? (
          <EmptyState>{t('path.empty')}</EmptyState>
        ) : (
          <DraftGraph
            environments={environments}
            path={path}
            names={names}
            chosen={chosen}
            choose={choose}
            remove={(id) => {
              change(removeStep(draft, id));
              if (id === chosen) choose(undefined);
            }}
          />
        )}
        <div className={styles.toolbar}>
          {absent.length > 0 && (
            <AddStep
              key={absent.map(({ id }) => id).join()}
              absent={absent}
              add={(id) => {
                change(addStep(draft, id, environments));
                choose(id);
              }}
            />
          )}
          <Button
            off={draft.isInOrder}
            onClick={() => {
              choose(undefined);
              change(draftInOrder(environments));
            }}
          >
            {t('path.toOrder')}
          </Button>
        </div>
      </Section>
      <Effect product={product} environments={environments} effect={effect} draft={draft} isChanged={isChanged} />
    </>
  );
}

type DraftGraphProps = Pick<PathEditorProps, 'environments' | 'path' | 'chosen' | 'choose'> & {
  readonly names: ReadonlyMap<string, string>;
  readonly remove: (id: string) => void;
};

function DraftGraph({ environments, path, names, chosen, choose, remove }: DraftGraphProps) {
  const { draft, effect, problems } = path;
  const edges = directEdges(draft.steps);
  const isNew = new Set(effect.added);
  const isChanged = new Set(effect.changed.map(({ id }) => id));
  return (
    <PathGraph
      steps={draft.steps.flatMap((step) => {
        const environment = environments.find(({ id }) => id === step.id);
        if (!environment) return [];
        const { name } = environment;
        const directlyAfter = edges.get(step.id) ?? [];
        const wrong = problems.get(step.id) ?? [];
        const isCircular = effect.cycle.includes(step.id);
        return [
          {
            id: step.id,
            after: directlyAfter,
            look: isCircular || wrong.length > 0 ? 'wrong' : step.id === chosen ? 'chosen' : undefined,
            content: (
              <>
                <h3>{name}</h3>
                {isNew.has(step.id) && <Badge tone="good">{t('step.new')}</Badge>}
                {isChanged.has(step.id) && <Badge tone="attention">{t('step.changed')}</Badge>}
                {isCircular && (
                  <StateLabel look="failed" wrap>
                    {t('step.circular')}
                  </StateLabel>
                )}
                <Wrong problems={wrong} />
                <StepConditions
                  conditions={conditionsOf(step, environment)}
                  directlyAfter={directlyAfter}
                  names={names}
                />
                <div className={styles.verbs}>
                  <Button size="small" onClick={() => choose(step.id)} aria-label={t('step.edit.label', { name })}>
                    {t('step.edit')}
                  </Button>
                  <Button
                    size="small"
                    weight="plain"
                    onClick={() => remove(step.id)}
                    aria-label={t('step.remove.label', { name })}
                  >
                    {t('step.remove')}
                  </Button>
                </div>
              </>
            ),
          },
        ];
      })}
    />
  );
}

const Wrong = ({ problems }: { readonly problems: readonly FieldProblem[] }) =>
  problems.map((problem) => (
    <StateLabel key={problem.field} look="failed" wrap>
      {stepMessage(problem)}
    </StateLabel>
  ));

type AddStepProps = {
  readonly absent: readonly { readonly id: string; readonly name: string }[];
  readonly add: (id: string) => void;
};

function AddStep({ absent, add }: AddStepProps) {
  const [wanted, want] = useState(absent[0]?.id ?? '');
  return (
    <>
      <Select
        name="environment"
        label={t('step.add.environment')}
        value={wanted}
        options={absent.map(({ id, name }) => ({ value: id, label: name }))}
        onValue={want}
      />
      <Button onClick={() => add(wanted)}>
        <Icon name="plus" size={14} />
        {t('step.add')}
      </Button>
    </>
  );
}
