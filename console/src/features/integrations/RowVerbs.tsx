import { useApolloClient } from '@apollo/client/react';
import type { ReactNode } from 'react';
import { IntegrationsDocument } from '../../generated/operations.ts';
import type { Verb } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

type Versioned = { readonly id: string; readonly expectedVersion: number };

/** The buttons of a row: test, edit, turn off or on, remove. */
export function RowVerbs({
  name,
  isDisabled,
  test,
  edit,
  remove,
  toggle,
}: {
  readonly name: string;
  readonly isDisabled: boolean;
  readonly test: ReactNode;
  readonly edit: () => void;
  readonly remove: () => void;
  readonly toggle: () => void;
}) {
  return (
    <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
      {test}
      <Button size="small" aria-label={t('integration.edit', { name })} onClick={edit}>
        {t('integration.edit.open')}
      </Button>
      <Button
        size="small"
        aria-label={t(isDisabled ? 'integration.enable.name' : 'integration.disable.name', { name })}
        onClick={toggle}
      >
        {t(isDisabled ? 'integration.enable' : 'integration.disable')}
      </Button>
      <Button size="small" aria-label={t('component.remove', { name })} onClick={remove}>
        {t('target.remove')}
      </Button>
    </span>
  );
}

/** The question before something is turned off or removed; a refusal says what uses it. */
export function ConfirmChange<T>({
  title,
  lead,
  verb,
  button,
  done,
  change,
  close,
}: {
  readonly title: string;
  readonly lead: string;
  readonly verb: Verb<T, Versioned>;
  readonly button: string;
  readonly done: string;
  readonly change: Versioned;
  readonly close: () => void;
}) {
  const client = useApolloClient();
  const act = async () => {
    if ((await verb.run(change)) === undefined) return;
    toast(done);
    close();
    await client.refetchQueries({ include: [IntegrationsDocument] });
  };
  return <ConfirmDialog title={title} lead={lead} verb={button} act={verb} run={act} close={close} />;
}
