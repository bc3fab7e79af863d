package io.fibry.cluster;

import io.fibry.ActorScope;
import io.fibry.docs.DocBlocks;
import io.fibry.keyed.KeyedActors;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The code of the document about this module. */
public class ClusterDocsTest {
    @TempDir
    private static Path classes;

    /** What readers of the document take for granted. */
    public static final class Given {
        public static final ClusterGroup<Long, Command, Long> ACCOUNTS =
                ClusterGroup.of("accounts", Long.class,
                        Command.class, Long.class, Command::account);

        private Given() {
        }

        public sealed interface Command {
            long account();

            record Deposit(long account, long cents) implements Command {
            }
        }

        public static KeyedActors<Long, Command, Long> accounts(ActorScope scope, Cluster cluster) {
            return cluster.share(ACCOUNTS, scope.named("accounts").keyed(ACCOUNTS.keyOf())
                    .newActorsWithReturnFrom(key -> {
                        var cents = new AtomicLong();
                        return (self, command) -> switch (command) {
                            case Command.Deposit in -> cents.addAndGet(in.cents());
                        };
                    }));
        }
    }

    @TestFactory
    Stream<DynamicTest> aBlockRuns() throws Exception {
        var blocks =
                new DocBlocks(classes, Given.class, "io.fibry", "io.fibry.cluster", "io.fibry.cluster.engine",
                        "io.fibry.function", "io.fibry.keyed", "io.fibry.pool", "io.fibry.topic", "java.time",
                        "java.util");
        blocks.add("cluster.md");
        blocks.compile();
        return blocks.runs();
    }
}
