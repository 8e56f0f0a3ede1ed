import { parseJson } from '../../lib/json.ts';
import { CodeBlock, CollapsedCode } from '../../ui/CodeBlock.tsx';
import { t } from './labels.ts';

type MessageProps = {
  readonly message: {
    readonly subject: string | null;
    readonly body: string;
    readonly text: string | null;
    readonly contentType: string;
  };
};

/** JSON with line breaks, or the text as it is. */
export const readable = (text: string): string => {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

/** Message as a channel gets it. An HTML mail is shown by its plain-text part, with its source below it. */
export function Message({ message: { subject, body, text, contentType } }: MessageProps) {
  return (
    <div className="stack" style={{ paddingBlock: 12, gap: 8 }}>
      {subject !== null && (
        <p>
          <span className="quiet">{t('message.subject')}</span> {subject}
        </p>
      )}
      {text !== null && <CodeBlock label={t('message.text')} text={text} wrap />}
      {text === null ? (
        <CodeBlock label={t('message.body', { type: contentType })} text={readable(body)} wrap />
      ) : (
        <CollapsedCode label={t('message.body', { type: contentType })} text={body} wrap />
      )}
    </div>
  );
}
