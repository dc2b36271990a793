// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>
/// The C text of the native loop: what the C API gives with nothing around it. Negative answers of the functions that write are SQLite's
/// codes.
/// </summary>
internal static class CompiledLoopSource
{
    internal const string Text = """
        typedef long long i64;
        typedef unsigned long long u64;

        static struct {
            int (*prepare)(void *, const char *, int, void **, const char **);
            int (*step)(void *);
            int (*reset)(void *);
            int (*finalize)(void *);
            int (*bind_int64)(void *, int, i64);
            int (*bind_text)(void *, int, const char *, int, void (*)(void *));
            i64 (*column_int64)(void *, int);
            const unsigned char *(*column_text)(void *, int);
            i64 (*last_insert_rowid)(void *);
            int (*changes)(void *);
        } api;

        enum { TEXT = 44, ROW = 100, DONE = 101 };

        void loop_use(const void *functions) { __builtin_memcpy(&api, functions, sizeof api); }

        static void *prepare(void *db, const char *sql) {
            void *statement = 0;
            api.prepare(db, sql, -1, &statement, 0);
            return statement;
        }

        static i64 find(void *statement, const char *text, i64 size) {
            api.bind_text(statement, 1, text, TEXT, 0);
            api.bind_int64(statement, 2, size);
            i64 id = api.step(statement) == ROW ? api.column_int64(statement, 0) : -1;
            api.reset(statement);
            return id;
        }

        static int insert(void *statement, const char *text, i64 size, i64 volume) {
            api.bind_text(statement, 1, text, TEXT, 0);
            api.bind_int64(statement, 2, size);
            api.bind_int64(statement, 3, volume);
            int code = api.step(statement);
            api.reset(statement);
            return code;
        }

        static int run(void *statement) {
            int code = api.step(statement);
            api.reset(statement);
            return code;
        }

        i64 loop_select(void *db, const char *sql, const char *texts, const i64 *sizes, int count) {
            void *select = prepare(db, sql);
            u64 sum = 0;
            for (int i = 0; i < count; i++)
                sum = sum * 31 + (u64)find(select, texts + (i64)i * TEXT, sizes[i]);
            api.finalize(select);
            return (i64)sum;
        }

        i64 loop_insert(void *db, const char *select_sql, const char *insert_sql, const char *texts, const i64 *sizes, int count, i64 volume) {
            void *select = select_sql ? prepare(db, select_sql) : 0;
            void *add = prepare(db, insert_sql);
            i64 added = 0;
            for (int i = 0; i < count; i++) {
                const char *text = texts + (i64)i * TEXT;
                if (select && find(select, text, sizes[i]) >= 0)
                    continue;
                int code = insert(add, text, sizes[i], volume);
                if (code != DONE) { added = -code; break; }
                added++;
            }
            if (select)
                api.finalize(select);
            api.finalize(add);
            return added;
        }

        i64 loop_insert_select(void *db, const char *select_sql, const char *insert_sql, const char *texts, const i64 *sizes, int count, i64 volume) {
            void *select = prepare(db, select_sql);
            void *add = prepare(db, insert_sql);
            u64 sum = 0;
            for (int i = 0; i < count; i++) {
                const char *text = texts + (i64)i * TEXT;
                insert(add, text, sizes[i], volume);
                sum = sum * 31 + (u64)find(select, text, sizes[i]);
            }
            api.finalize(select);
            api.finalize(add);
            return (i64)sum;
        }

        i64 loop_join(void *db, const char *sql, i64 blockset) {
            void *join = prepare(db, sql);
            u64 sum = 0;
            api.bind_int64(join, 1, blockset);
            while (api.step(join) == ROW)
                sum = sum * 31 + (u64)(api.column_int64(join, 2) + api.column_text(join, 1)[0]);
            api.finalize(join);
            return (i64)sum;
        }

        i64 loop_link(void *db, const char *blockset_sql, const char *link_sql, const char *names, const char *texts, int files, int blocks, i64 blocksize) {
            void *begin = prepare(db, "BEGIN"), *commit = prepare(db, "COMMIT");
            void *add = prepare(db, blockset_sql), *link = prepare(db, link_sql);
            i64 linked = 0;
            for (int file = 0; file < files; file++) {
                run(begin);
                api.bind_int64(add, 1, blocks * blocksize);
                api.bind_text(add, 2, names + (i64)file * TEXT, TEXT, 0);
                run(add);
                api.bind_int64(link, 1, api.last_insert_rowid(db));
                for (int i = 0; i < blocks; i++) {
                    api.bind_int64(link, 2, i);
                    api.bind_text(link, 3, texts + ((i64)file * blocks + i) * TEXT, TEXT, 0);
                    api.bind_int64(link, 4, blocksize);
                    run(link);
                    linked += api.changes(db);
                }
                run(commit);
            }
            api.finalize(begin);
            api.finalize(commit);
            api.finalize(add);
            api.finalize(link);
            return linked;
        }
        """;
}
