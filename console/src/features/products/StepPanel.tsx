import type { EvidenceType, PathEnvironmentFragment, SeparationOfDuties } from '../../generated/operations.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { Button } from '../../ui/Button.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Checkbox, Form, SegmentedControl, Select, TextField } from '../../ui/Form.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { field, t } from './labels.ts';
import { changeStep, type DraftStep, removeStep } from './path-draft.ts';
import { stepMessage } from './step-message.ts';
import type { PathDraft } from './use-path-draft.ts';

const EVIDENCE = ['SBOM', 'VEX', 'SCORE_PROOF', 'PROVENANCE'] as const satisfies readonly EvidenceType[];
const DUTIES = ['OFF', 'AUTHOR'] as const satisfies readonly SeparationOfDuties[];

type StepPanelProps = {
  readonly environment: PathEnvironmentFragment;
  readonly environments: readonly PathEnvironmentFragment[];
  readonly path: PathDraft;
  readonly close: () => void;
};

/** Fields of one step of a path. The graph beside follows each change. */
export function StepPanel({ environment, environments, path, close }: StepPanelProps) {
  const { draft, change, problems } = path;
  const { id, name } = environment;
  const step = draft.steps.find((one) => one.id === id);
  if (!step) return null;
  const set = (next: Partial<DraftStep>) => change(changeStep(draft, id, next));
  const others = environments.filter((other) => other.id !== id && draft.steps.some((one) => one.id === other.id));
  return (
    <Panel title={t('step.title', { name })} subject={id} close={close}>
      <Form problems={(problems.get(id) ?? []).map(asWritten)} keeps={false} submit={close}>
        <CheckboxGroup
          name="after"
          legend={t('step.after.choose')}
          hint={t('step.after.hint')}
          options={others.map((other) => ({ value: other.id, label: other.name }))}
          chosen={step.after}
          choose={(after) => set({ after })}
        />
        {step.after.length > 1 && (
          <SegmentedControl
            label={t('step.need')}
            value={step.need}
            options={[
              { value: 'ALL', label: t('step.need.ALL') },
              { value: 'ANY', label: t('step.need.ANY') },
            ]}
            choose={(need) => set({ need })}
          />
        )}
        <TextField
          {...field('targetLabels', 'step.labels')}
          value={step.labels}
          onValue={(labels) => set({ labels })}
        />
        <PolicyFields step={step} environment={environment} set={set} />
        <div className="row">
          <Button type="submit" weight="primary">
            {t('step.close')}
          </Button>
          <Button
            onClick={() => {
              change(removeStep(draft, id));
              close();
            }}
          >
            {t('step.remove.label', { name })}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

/** Problem whose message is already the one to show. */
const asWritten = (problem: FieldProblem): FieldProblem => ({ ...problem, message: stepMessage(problem), code: '' });

type PolicyFieldsProps = {
  readonly step: DraftStep;
  readonly environment: PathEnvironmentFragment;
  readonly set: (next: Partial<DraftStep>) => void;
};

function PolicyFields({ step, environment, set }: PolicyFieldsProps) {
  const { approvals, duties, evidence, relaxes } = step;
  const { requiredApprovals, separationOfDuties, requiredEvidence } = environment;
  return (
    <>
      <TextField
        name="policy.requiredApprovals"
        label={t('step.approvals')}
        hint={t('step.approvals.hint', { n: requiredApprovals })}
        value={approvals}
        inputMode="numeric"
        onValue={(next) => set({ approvals: next })}
      />
      <Select
        name="policy.separationOfDuties"
        label={t('step.duties')}
        hint={t('step.duties.hint', { duties: t(`step.duties.${separationOfDuties}`) })}
        value={duties}
        options={[
          { value: '', label: t('step.duties.environment') },
          ...DUTIES.map((value) => ({ value, label: t(`step.duties.${value}`) })),
        ]}
        onValue={(next) => set({ duties: DUTIES.find((one) => one === next) ?? '' })}
      />
      <Checkbox
        label={t('step.evidence.own')}
        checked={evidence !== undefined}
        onValue={(isOwn) => set({ evidence: isOwn ? requiredEvidence : undefined })}
      />
      {evidence && (
        <CheckboxGroup
          name="policy.requiredEvidence"
          legend={t('step.evidence.choose')}
          options={EVIDENCE.map((value) => ({ value, label: t(`evidence.${value}`) }))}
          chosen={evidence}
          choose={(next) => set({ evidence: EVIDENCE.filter((type) => next.includes(type)) })}
        />
      )}
      <Checkbox label={t('step.relaxes')} checked={relaxes} onValue={(next) => set({ relaxes: next })} />
    </>
  );
}
