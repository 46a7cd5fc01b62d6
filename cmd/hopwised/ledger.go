package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/server"
	"github.com/hopwise/hopwise/server/config"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// ledgerAt is where a command's ledger is: a configuration's, or a folder.
type ledgerAt struct{ file, dir string }

func (l *ledgerAt) config() (config.Config, error) {
	if (l.file == "") == (l.dir == "") {
		return config.Config{}, &usageError{errors.New("give --config or --data-dir, one of them")}
	}
	if l.dir != "" {
		c := config.Default()
		c.Ledger.DataDir = l.dir
		return c, nil
	}
	c, err := config.Load(l.file)
	if err == nil && c.Ledger.Kind != config.BoltLedger {
		err = fmt.Errorf("%s: ledger.kind is %s: there is no file", l.file, c.Ledger.Kind)
	}
	return c, err
}

func ledgerCommand(in io.Reader, out io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Check, export, import, compact or back up the ledger's file",
		Args:  arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return &usageError{errors.New("ledger needs check, export, import, compact or backup")}
		},
	}
	at := &ledgerAt{}
	cmd.PersistentFlags().StringVar(&at.file, "config", "", "configuration `FILE` that names the ledger")
	cmd.PersistentFlags().StringVar(&at.dir, "data-dir", "", "the ledger's `FOLDER`, in place of --config")
	add := func(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, c config.Config, args []string) error) {
		cmd.AddCommand(&cobra.Command{Use: use, Short: short, Args: arguments(args), RunE: func(cmd *cobra.Command, args []string) error {
			c, err := at.config()
			if err != nil {
				return err
			}
			return run(cmd.Context(), c, args)
		}})
	}
	dir := func(f func(dir string) error) func(context.Context, config.Config, []string) error {
		return func(_ context.Context, c config.Config, _ []string) error { return f(c.Ledger.DataDir) }
	}
	add("check", "Verify every page, record and hold of a stopped server's ledger", cobra.NoArgs,
		func(_ context.Context, c config.Config, _ []string) error { return checkLedger(out, at, c) })
	add("export", "Print a stopped server's ledger as JSON lines", cobra.NoArgs, dir(func(d string) error {
		_, err := bolt.Export(d, out)
		return err
	}))
	add("import", "Read what export printed into an empty ledger", cobra.NoArgs, dir(func(d string) error {
		sum, err := bolt.Import(d, in)
		if err == nil {
			_, err = fmt.Fprintf(out, "%d records imported\n", sum.Records)
		}
		return err
	}))
	add("compact", "Write a stopped server's ledger anew, without its gaps", cobra.NoArgs, dir(func(d string) error {
		before, after, err := bolt.Compact(d)
		if err == nil {
			_, err = fmt.Fprintf(out, "%d bytes before, %d after\n", before, after)
		}
		return err
	}))
	add("backup FILE", "Copy the ledger of a server that runs", cobra.ExactArgs(1),
		func(ctx context.Context, c config.Config, args []string) error {
			return backupLedger(ctx, out, c, args[0])
		})
	return cmd
}

// checkLedger prints what is wrong; problems are a failure.
func checkLedger(out io.Writer, at *ledgerAt, c config.Config) error {
	audit, note := auditFor(at, c)
	sum, problems, err := bolt.Check(c.Ledger.DataDir, audit)
	if err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(out, p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: %d problems", filepath.Join(c.Ledger.DataDir, bolt.FileName), len(problems))
	}
	_, err = fmt.Fprintf(out, "good: %d records, epoch %d%s\n", sum.Records, sum.Epoch, note)
	return err
}

// backupLedger asks the running server for a copy. The file appears whole or not
// at all, and is never written over.
func backupLedger(ctx context.Context, out io.Writer, c config.Config, to string) (err error) {
	if c.HTTPAddress == "" {
		return errors.New("http_address is empty: the server gives no backups; stop it and copy the file")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.HTTPAddress+server.BackupPath, nil)
	if err != nil {
		return fmt.Errorf("asking for a backup: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking for a backup: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // only read
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1024)) // the status says it too
		return fmt.Errorf("the server gives no backup: %s: %s", resp.Status, text)
	}
	f, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".new-*")
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // only its other name stays
	n, err := io.Copy(f, resp.Body)
	if err == nil && n != resp.ContentLength {
		err = fmt.Errorf("cut short: %d of %d bytes", n, resp.ContentLength)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), to)
	}
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s: %d bytes\n", to, n)
	return err
}
