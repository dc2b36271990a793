using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What the trials on the tables of a backup share.</summary>
internal static class BackupTrials
{
    /// <summary>Opens a copy of a database with so many blocks as a backup does.</summary>
    public static LocalBackupDatabase Open(TrialSetup setup, int rows) => OpenCopy(setup, BlockDatabase.Template(rows));

    /// <summary>Opens a copy of a template as a backup does.</summary>
    public static LocalBackupDatabase OpenCopy(TrialSetup setup, string template) =>
        LocalBackupDatabase.CreateAsync(setup.Copy(template), new Options([]), default).Await();

    /// <summary>Questions about so many blocks from a number on, in an order that has nothing to do with that of the table; all forms are made now.</summary>
    public static BlockQuestions Questions(int first, int count)
    {
        _ = BlockKeys.Get(first + count);
        var questions = new BlockQuestions(count, step => first + BlockTable.Scatter(step, count));
        _ = (questions.Texts, questions.Sizes, questions.Digests, questions.Utf8);
        return questions;
    }

    /// <summary>Commits what is pending.</summary>
    public static void Commit(LocalBackupDatabase database) => database.Transaction.CommitAsync(default(CancellationToken)).Await();

    /// <summary>The rows of Block and BlocksetEntry by content, so that ids may differ.</summary>
    public static long Content(LocalDatabase database) => BlockContender.Fold(Read(database, TechniquesSql.Blocks), Read(database, TechniquesSql.Entries));

    /// <summary>The same of a file that no <see cref="LocalDatabase"/> is open on.</summary>
    public static long ContentOf(string path)
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        using var statements = new StatementCache(connection);
        using var blocks = statements.Take(TechniquesSql.Blocks);
        using var entries = statements.Take(TechniquesSql.Entries);
        return BlockContender.Fold(blocks.ExecuteInt64(0), entries.ExecuteInt64(0));
    }

    /// <summary>The one number that a statement gives, after everything pending has been written.</summary>
    public static long Read(LocalDatabase database, string sql) => database.Session.Do(
        session =>
        {
            using var query = session.Take(sql);
            return query.ExecuteInt64(0);
        },
        default);
}
