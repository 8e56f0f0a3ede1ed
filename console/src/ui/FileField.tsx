import { useId } from 'react';

type FileFieldProps = {
  readonly label: string;
  /** Kinds of files that are offered, as the browser's own control takes them. */
  readonly accept: string;
  readonly wrong: string | undefined;
};

/** Choice of one file, named `file` in its form. */
export function FileField({ label, accept, wrong }: FileFieldProps) {
  const id = useId();
  return (
    <div className="stack" style={{ gap: 4 }}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        name="file"
        accept={accept}
        aria-invalid={wrong !== undefined || undefined}
        {...(wrong === undefined ? {} : { 'aria-describedby': `${id}-wrong` })}
      />
      <p id={`${id}-wrong`} className="small problem" role="alert">
        {wrong}
      </p>
    </div>
  );
}
