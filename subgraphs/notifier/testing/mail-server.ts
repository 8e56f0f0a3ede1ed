import { once } from 'node:events';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** Mail server on loopback that keeps what it takes, and refuses recipients with a reply, all or some. */
export const startMailServer = async (refusal?: number | ((address: string) => number | undefined)) => {
  const mails: ParsedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const reply = typeof refusal === 'function' ? refusal(address) : refusal;
      if (reply === undefined) callback();
      else callback(Object.assign(new Error('no such user'), { responseCode: reply }));
    },
    onData(stream, _session, callback) {
      simpleParser(stream).then((mail) => {
        mails.push(mail);
        callback();
      }, callback);
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('the mail server has no port');
  return {
    port: address.port,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};
