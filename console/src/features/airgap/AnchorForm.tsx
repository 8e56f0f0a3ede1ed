import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  AirGapStateDocument,
  type AnchorSource,
  SetTimeAnchorDocument,
  type TimeFactsFragment,
} from '../../generated/operations.ts';
import { base64Of, bytesOf } from '../../lib/base64.ts';
import { download } from '../../lib/download.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FileField } from '../../ui/FileField.tsx';
import { Form, Select } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

const SOURCES = ['RFC3161', 'OPERATOR_DSSE'] as const satisfies AnchorSource[];

/** Largest token in bytes: a token in base64 has at most 131,072 characters. */
const MAX_BYTES = 98_304;

const COMMAND = `curl -s https://tsa.example -H 'content-type: application/timestamp-query' \\
  --data-binary @query.tsq > reply.tsr`;

/** Form of the time that an operator states. */
const SOME_TIME = '2026-01-31T12:00:00Z';

type AnchorFormProps = { readonly time: TimeFactsFragment; readonly tenant: string; readonly close: () => void };

/** Dialog that takes a time anchor: the challenge goes out to a timestamp authority or an operator, the answer comes back. */
export function AnchorForm({ time: { challenge }, tenant, close }: AnchorFormProps) {
  const client = useApolloClient();
  const action = useAction(SetTimeAnchorDocument);
  const [source, choose] = useState<AnchorSource>('RFC3161');
  const [wrong, setWrong] = useState<string>();
  const submit = async (data: FormData) => {
    const file = data.get('file');
    if (!(file instanceof File) || file.size === 0) return setWrong(t('anchor.file.none'));
    if (file.size > MAX_BYTES) return setWrong(t('anchor.file.large', { max: MAX_BYTES }));
    setWrong(undefined);
    const answer = await action.run({ source, token: base64Of(new Uint8Array(await file.arrayBuffer())) });
    if (answer === undefined) return;
    toast(t(`anchor.done.${answer.setTimeAnchor.state}`));
    close();
    await client.refetchQueries({ include: [AirGapStateDocument] });
  };
  return (
    <Dialog title={t('anchor.set')} close={close} wide>
      <Form problems={action.problem?.fields} keeps={false} submit={submit}>
        <p className="soft">{t('anchor.set.lead')}</p>
        <Select
          name="source"
          label={t('anchor.source')}
          value={source}
          onValue={(value) => choose(SOURCES.find((one) => one === value) ?? source)}
          options={SOURCES.map((value) => ({ value, label: t(`anchor.source.${value}`) }))}
        />
        {source === 'RFC3161' ? <Request challenge={challenge} /> : <Statement challenge={challenge} tenant={tenant} />}
        <FileField
          label={t(`anchor.file.${source}`)}
          accept={source === 'RFC3161' ? '.tsr,.der' : '.json'}
          wrong={wrong}
        />
        <FormFooter state={action} verb={t('anchor.set')} close={close} />
      </Form>
    </Dialog>
  );
}

type ChallengeProps = { readonly challenge: TimeFactsFragment['challenge'] };

/** Timestamp request to carry to an authority, and the command that sends it. */
const Request = ({ challenge: { data, request } }: ChallengeProps) => (
  <>
    <p className="row" style={{ flexWrap: 'wrap' }}>
      <Button size="small" onClick={() => download('query.tsq', 'application/timestamp-query', bytesOf(request))}>
        <Icon name="down" size={14} />
        {t('anchor.request.download')}
      </Button>
      <span className="small quiet">{t('anchor.request.hint')}</span>
    </p>
    <CodeBlock label={t('anchor.request.command')} text={COMMAND} wrap />
    <div>
      <p className="small quiet">{t('anchor.challenge')}</p>
      <CodeBlock label={t('anchor.challenge')} text={data} wrap />
    </div>
  </>
);

/** Statement that an operator fills in and signs. */
function Statement({ challenge: { nonce }, tenant }: ChallengeProps & { readonly tenant: string }) {
  const text = JSON.stringify({ tenantId: tenant, nonce, anchorTime: SOME_TIME, accuracySeconds: 1 });
  return (
    <>
      <p className="small quiet">{t('anchor.statement.hint')}</p>
      <CodeBlock label={t('anchor.challenge')} text={text} wrap />
      <p>
        <CopyButton icon text={text} label={t('anchor.statement.copy')} copied={t('anchor.statement.copied')} />
      </p>
    </>
  );
}
