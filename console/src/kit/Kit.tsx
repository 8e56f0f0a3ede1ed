import { Badge } from '../ui/Badge.tsx';
import { ActionError, Banner, PartialError } from '../ui/Banner.tsx';
import { Button, Chip, IconButton } from '../ui/Button.tsx';
import { CellGrid } from '../ui/CellGrid.tsx';
import { CheckboxGroup } from '../ui/CheckboxGroup.tsx';
import { Clamped } from '../ui/Clamped.tsx';
import { DetailSection, DetailToggle } from '../ui/DetailToggle.tsx';
import { Digest } from '../ui/Digest.tsx';
import { FileField } from '../ui/FileField.tsx';
import { Forbidden } from '../ui/Forbidden.tsx';
import { Form, SegmentedControl, Select, TextArea, TextField } from '../ui/Form.tsx';
import { Gauge, Gauges } from '../ui/Gauges.tsx';
import { Icon } from '../ui/Icon.tsx';
import { LogView } from '../ui/LogView.tsx';
import { PageHead } from '../ui/PageHead.tsx';
import { Phase, PhaseGate, Phases } from '../ui/Phases.tsx';
import { EmptyState, ErrorPanel, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { Sparkline } from '../ui/Sparkline.tsx';
import { StageList } from '../ui/StageList.tsx';
import { type Look, StateLabel } from '../ui/StateLabel.tsx';
import { Time } from '../ui/Time.tsx';
import { Toasts } from '../ui/Toast.tsx';

const GATED = `sha256:9f2c41ab${'0'.repeat(52)}7e10`;
const LANDED = `sha256:9f2c80d1${'0'.repeat(52)}22c9`;
const PROBLEM = {
  code: 'SYS_SERVICE_UNAVAILABLE',
  message: 'The orchestrator answered 503 three times in 10 s. Nothing was changed.',
  requestId: '01JD4K9Q2',
  fields: [{ field: 'tail', message: 'Four characters are needed.', code: 'VAL_TOO_SHORT' }],
  answered: true,
};

const LOOKS: readonly { readonly look: Look; readonly word: string }[] = [
  { look: 'verified', word: 'Verified' },
  { look: 'unverified', word: 'Unverified' },
  { look: 'mismatch', word: 'Mismatch' },
  { look: 'failed', word: 'Failed' },
  { look: 'running', word: 'In progress' },
  { look: 'held', word: 'Waiting' },
  { look: 'back', word: 'Rolled back' },
  { look: 'signed', word: 'Signed' },
  { look: 'missing-attention', word: 'Missing' },
  { look: 'unobserved', word: 'Unobserved' },
  { look: 'attention', word: 'Stale' },
  { look: 'queued', word: 'Not judged' },
];

/** Every part and every state of the kit, once. */
export function Kit() {
  return (
    <main style={{ padding: 24, maxWidth: 1100 }}>
      <PageHead title="Kit">Every part and every state, once. Screens hold layout only.</PageHead>
      <Parts />
      <Many />
      <States />
      <Toasts />
    </main>
  );
}

function Parts() {
  const none = () => {};
  return (
    <>
      <Section title="Buttons">
        <p className="row" style={{ flexWrap: 'wrap', paddingBlock: 12 }}>
          <Button weight="primary">
            Launch <kbd>l</kbd>
          </Button>
          <Button>Compare</Button>
          <Button weight="plain">Show as list</Button>
          <Button size="small">Approve</Button>
          <Button off>Launch on 40</Button>
          <Button weight="primary" busy>
            Launching
          </Button>
          <IconButton label="Copy">
            <Icon name="copy" />
          </IconButton>
          <Chip pressed onPress={none}>
            Ready
          </Chip>
        </p>
      </Section>
      <Section title="Status marks" count="shape, word, colour">
        <p className="row" style={{ flexWrap: 'wrap', gap: 16, paddingBlock: 12 }}>
          {LOOKS.map(({ word, ...look }) => (
            <StateLabel key={word} {...look}>
              {word}
            </StateLabel>
          ))}
        </p>
      </Section>
      <Section title="Badge, digest, time">
        <p className="row" style={{ flexWrap: 'wrap', gap: 16, paddingBlock: 12 }}>
          <Badge>retryable</Badge>
          <Badge tone="attention">unsupported</Badge>
          <Badge tone="bad">blocked</Badge>
          <Badge tone="good">eligible</Badge>
          <Digest value={GATED} />
          <Digest value={GATED} against={LANDED} />
          <Time at="2026-11-20T14:03:22Z" />
        </p>
      </Section>
      <Section title="Fields">
        <div style={{ maxWidth: 320, paddingBlock: 12 }}>
          <Form problems={PROBLEM.fields} submit={none}>
            <TextField name="reason" label="Reason" hint="Kept in the trail" placeholder="Why now" />
            <TextField name="tail" label="Last four of the digest" defaultValue="7e1" />
            <TextArea name="notes" label="Notes" />
            <TextArea name="policy" label="Policy" defaultValue={'{ "kevFloor": 800000 }'} code />
            <FileField label="Document" accept=".json" wrong="Choose a file." />
            <Select name="environment" label="Environment" options={[{ value: 'dev', label: 'dev' }]} />
            <SegmentedControl
              label="Density"
              value="regular"
              options={[
                { value: 'compact', label: 'Compact' },
                { value: 'regular', label: 'Regular' },
              ]}
              choose={none}
            />
            <CheckboxGroup
              name="roles"
              legend="Roles"
              hint="Ten scopes in all."
              options={[
                { value: 'viewer', label: 'viewer' },
                { value: 'approver', label: 'approver' },
              ]}
              chosen={['viewer']}
              choose={none}
            />
          </Form>
        </div>
      </Section>
      <Section title="Gauges, phases, stages" bare>
        <Gauges label="Queues">
          <Gauge label="Waiting for me" big="3" sub="oldest 2 h 10 min" />
          <Gauge label="Failed" big="2" sub="7 targets, 4 causes" />
        </Gauges>
        <Phases>
          <Phase
            title="1 Canary"
            size={2}
            current={false}
            words="2 of 2 verified"
            tally={{ verified: 2, unverified: 0, bad: 0, running: 0, held: 0, waiting: 0 }}
          />
          <PhaseGate look="held" label="Gate closed: by hand" />
          <Phase
            title="2 Rest"
            size={34}
            current
            words="24 verified, 2 unverified, 6 failed, 2 running of 34"
            tally={{ verified: 24, unverified: 2, bad: 6, running: 2, held: 0, waiting: 0 }}
          />
        </Phases>
        <div style={{ maxWidth: 360, padding: 12 }}>
          <StageList
            stages={[
              { stage: 'preflight', state: 'done', note: '2.4 s' },
              { stage: 'execution', state: 'failed' },
              { stage: 'health-probe', state: 'unreached' },
            ]}
          />
        </div>
      </Section>
    </>
  );
}

function Many() {
  const none = () => {};
  return (
    <>
      <Section title="Detail of a row" bare>
        <DetailToggle id="row" isOpen toggle={none}>
          CVE-2026-1000
        </DetailToggle>
        <DetailSection id="row" label="Detail of CVE-2026-1000">
          <Clamped text={'The parser that is vulnerable is never called by this service. '.repeat(8)} />
        </DetailSection>
      </Section>
      <Section title="Cells" bare>
        <CellGrid
          label="Targets"
          chosen="Failed"
          open={none}
          cells={LOOKS.map(({ word, ...look }, index) => ({ ...look, id: word, name: `eu-fra-${index + 1}`, word }))}
        />
      </Section>
      <Section title="Measurements" count="hatched is no answer, and no pass">
        <Sparkline
          min={null}
          max={0.02}
          points={[
            { value: 0.004, verdict: 'PASS' },
            { value: 0.006, verdict: 'PASS' },
            { value: null, verdict: 'UNKNOWN' },
            { value: 0.012, verdict: 'PASS' },
            { value: 0.03, verdict: 'FAIL' },
          ]}
        />
      </Section>
      <Section title="Log" bare>
        <LogView
          label="Log"
          lines={['listening on 127.0.0.1:8000', 'GET /healthz 200 4 ms'].map((text, nth) => ({
            nth,
            text,
            source: 'web',
            at: '2026-11-20T14:03:22Z',
          }))}
        />
      </Section>
    </>
  );
}

function States() {
  const none = () => {};
  return (
    <>
      <Section title="Banners">
        <div style={{ paddingTop: 12 }}>
          <Banner title="One target.">Every strategy behaves as all at once.</Banner>
          <Banner tone="attention" title="Held by release-lead." />
          <PartialError problem={PROBLEM} refetch={none} />
          <ActionError problem={PROBLEM} />
        </div>
      </Section>
      <Section title="Loading">
        <SkeletonRows rows={3} />
      </Section>
      <Section title="Empty">
        <EmptyState mark={<StateLabel look="verified">Nothing needs you.</StateLabel>}>Checked 14:03:22 UTC</EmptyState>
        <EmptyState clear={none}>No release matches these filters.</EmptyState>
      </Section>
      <Section title="Fault">
        <ErrorPanel title="This deployment could not be read." problem={PROBLEM} refetch={none} />
      </Section>
      <Section title="Not yours to press">
        <Forbidden
          permission={{
            allowed: false,
            code: 'PERM_SELF_APPROVAL',
            reason: 'You asked for this; another approver is needed.',
          }}
        />
      </Section>
    </>
  );
}
