import { type Ref, useRef, useState } from 'react';
import type { PathEnvironmentFragment, ProductPathFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { listText } from '../../lib/i18n.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { PathGraph } from '../../parts/PathGraph.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { ActionError, Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Effect } from './Effect.tsx';
import { LeaveQuestion } from './LeaveQuestion.tsx';
import { t } from './labels.ts';
import styles from './PathGraph.module.css';
import { addStep, draftInOrder, removeStep } from './path-draft.ts';
import { directEdges } from './path-edges.ts';
import { conditionsOf } from './path-effect.ts';
import { StepConditions } from './StepConditions.tsx';
import { stepMessage } from './step-message.ts';
import type { StepTarget } from './step-targets.ts';
import type { PathDraft } from './use-path-draft.ts';
import { useStepFocus } from './use-step-focus.ts';

type PathEditorProps = {
  readonly product: ProductPathFragment;
  readonly environments: readonly PathEnvironmentFragment[];
  readonly path: PathDraft;
  readonly targets: readonly StepTarget[];
  /** Step that is open beside the graph. */
  readonly chosen: string | undefined;
  readonly choose: (id: string | undefined) => void;
  readonly close: () => void;
};

/** Path of a product while it is edited on its graph, with the effect of saving it. */
export function PathEditor(props: PathEditorProps) {
  const { product, environments, path, targets, chosen: selected, choose, close } = props;
  const { draft, change, isChanged, isOutdated, refusal, busy, save } = path;
  const names = new Map(environments.map(({ id, name }) => [id, name]));
  const focus = useStepFocus(draft.steps, selected);
  const isDone = useRef(false);
  const leave = () => {
    isDone.current = true;
    close();
  };
  const canSave = isChanged && !isOutdated;
  const submit = async () => {
    if (!(await save())) return;
    toast(t('path.saved'));
    leave();
  };
  useCommands([
    { id: 'path.save', keys: 's', title: t('path.save'), run: () => canSave && void submit() },
    { id: 'path.discard', title: t('path.discard'), run: leave },
  ]);
  return (
    <>
      <LeaveQuestion isNeeded={() => isChanged && !isDone.current} />
      <Section
        title={t('path.title')}
        count={<Badge tone="attention">{t('path.editing')}</Badge>}
        bare
        side={
          <>
            <Button size="small" onClick={leave}>
              {t(isChanged ? 'path.discard' : 'cancel')}
            </Button>
            <Button size="small" weight="primary" busy={busy} off={!canSave} onClick={() => void submit()}>
              {t('path.save')}
            </Button>
          </>
        }
      >
        <PathNotices path={path} names={names} />
        <ActionError problem={refusal} />
        {draft.steps.length === 0 ? (
          <EmptyState>{t('path.empty')}</EmptyState>
        ) : (
          <DraftGraph
            environments={environments}
            path={path}
            names={names}
            chosen={selected}
            choose={choose}
            button={focus.button}
            remove={(id) => {
              change(removeStep(draft, id));
              if (id === selected) choose(undefined);
            }}
          />
        )}
        <Toolbar environments={environments} path={path} choose={choose} addButton={focus.add} />
      </Section>
      <Effect product={product} environments={environments} path={path} targets={targets} />
    </>
  );
}

type PathNoticesProps = { readonly path: PathDraft; readonly names: ReadonlyMap<string, string> };

/** Notices of a path that was changed elsewhere meanwhile, and of changes that did not apply to it. */
function PathNotices({ path: { isOutdated, adoptNewest, dropped }, names }: PathNoticesProps) {
  return (
    <div role="status">
      {isOutdated && (
        <Banner
          tone="attention"
          title={t('path.outdated')}
          verb={
            <Button size="small" weight="primary" onClick={adoptNewest}>
              {t('path.takeUp')}
            </Button>
          }
        />
      )}
      {dropped.length > 0 && (
        <Banner
          tone="attention"
          title={t('path.dropped', { where: listText(dropped.map((id) => names.get(id) ?? id)) })}
        />
      )}
    </div>
  );
}

type ToolbarProps = Pick<PathEditorProps, 'environments' | 'path' | 'choose'> & {
  readonly addButton: Ref<HTMLButtonElement>;
};

/** Verbs about the whole path: another step, or the environments in order. */
function Toolbar({ environments, path: { draft, change }, choose, addButton }: ToolbarProps) {
  const absent = environments.filter(({ id }) => !draft.steps.some((step) => step.id === id));
  return (
    <div className={styles.toolbar}>
      {absent.length > 0 && (
        <AddStep
          key={absent.map(({ id }) => id).join()}
          absent={absent}
          button={addButton}
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
  );
}

type DraftGraphProps = Pick<PathEditorProps, 'environments' | 'path' | 'chosen' | 'choose'> & {
  readonly names: ReadonlyMap<string, string>;
  readonly button: (id: string) => Ref<HTMLButtonElement>;
  readonly remove: (id: string) => void;
};

function DraftGraph({ environments, path, names, chosen: selected, choose, button, remove }: DraftGraphProps) {
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
            look: isCircular || wrong.length > 0 ? 'wrong' : step.id === selected ? 'chosen' : undefined,
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
                  <Button
                    ref={button(step.id)}
                    size="small"
                    onClick={() => choose(step.id)}
                    aria-label={t('step.edit.label', { name })}
                  >
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
  readonly button: Ref<HTMLButtonElement>;
  readonly add: (id: string) => void;
};

function AddStep({ absent, button, add }: AddStepProps) {
  const [selected, want] = useState(absent[0]?.id ?? '');
  return (
    <>
      <Select
        name="environment"
        label={t('step.add.environment')}
        value={selected}
        options={absent.map(({ id, name }) => ({ value: id, label: name }))}
        onValue={want}
      />
      <Button ref={button} onClick={() => add(selected)}>
        <Icon name="plus" size={14} />
        {t('step.add')}
      </Button>
    </>
  );
}
