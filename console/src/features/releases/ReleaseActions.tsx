import {
  FinalizeReleaseDocument,
  MarkReleaseReadyDocument,
  type ReleasePermissionsFragment,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import type { Problem } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { CloseFooter } from '../../ui/DialogFooter.tsx';
import { Forbidden, type Permission } from '../../ui/Forbidden.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Props = { readonly release: ReleasePermissionsFragment };

type ReleaseActionsProps = Props & {
  /** Whether a promotion is approved and not launched, so that deploying comes next. */
  readonly launchable: boolean;
};

/** Release's next legal step. */
export function ReleaseActions({ release, launchable }: ReleaseActionsProps) {
  const { id, status } = release;
  if (status === 'DRAFT') return <Finalize release={release} />;
  if (status === 'FINALIZED') return <MarkReady release={release} />;
  if (status === 'DEPRECATED') return null;
  return (
    <LinkButton weight={launchable ? 'primary' : 'normal'} to="/releases/$id/deploy" params={{ id }}>
      {t('deploy.verb')}
    </LinkButton>
  );
}

function Finalize({ release: { id, version, viewerCanFinalize } }: Props) {
  const verb = useAction(FinalizeReleaseDocument);
  const run = async () => {
    if (await verb.run({ id, expectedVersion: version })) toast(t('finalize.done'));
  };
  return (
    <NextStep permission={viewerCanFinalize} keys="f" title={t('finalize.command')} verb={verb} run={run}>
      {t('finalize.verb')}
    </NextStep>
  );
}

function MarkReady({ release: { id, version, viewerCanMarkReady } }: Props) {
  const verb = useAction(MarkReleaseReadyDocument);
  const run = async () => {
    if (await verb.run({ id, expectedVersion: version })) toast(t('ready.done'));
  };
  return (
    <NextStep permission={viewerCanMarkReady} keys="m" title={t('ready.command')} verb={verb} run={run}>
      {t('ready.verb')}
    </NextStep>
  );
}

type NextStepProps = {
  readonly permission: Permission;
  readonly keys: string;
  readonly title: string;
  readonly verb: { readonly busy: boolean; readonly problem: Problem | undefined; readonly clear: () => void };
  readonly run: () => Promise<void>;
  readonly children: string;
};

/** Step as a button, a command and its refusal; or the rule, where the user may not take it. */
function NextStep({ permission, keys, title, verb: { busy, problem, clear }, run, children }: NextStepProps) {
  const press = () => void run();
  useCommands(permission.allowed ? [{ id: 'release.next', keys, title, run: press }] : []);
  if (!permission.allowed) return <Forbidden permission={permission} />;
  return (
    <>
      <Button weight="primary" busy={busy} onClick={press}>
        {children}
      </Button>
      {problem !== undefined && (
        <Dialog title={t('release.refused')} close={clear}>
          <ActionError problem={problem} />
          <ul className="soft">
            {problem.fields.map(({ field, message }) => (
              <li key={field}>
                {field}: {message}
              </li>
            ))}
          </ul>
          <CloseFooter label={t('close')} close={clear} />
        </Dialog>
      )}
    </>
  );
}
