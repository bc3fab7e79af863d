package io.fibry.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.files.DirectoryWatch;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.files.FileChange;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Flows;
import io.fibry.flow.Generator;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Waits;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scope's interceptors are around the handlers of the program, and not around those that patterns have for themselves. */
@Tag("once")
class PatternInterceptorsTest {
    private final List<Object> seen = new CopyOnWriteArrayList<>();

    private ActorScope refusing() {
        return ActorSystem.configure("guarded").around(handling -> {
            seen.add(handling.message());
            throw new SecurityException("as wanted");
        }).open();
    }

    @Test
    void theMessagesOfPatternsAreNotIntercepted(@TempDir Path directory) throws Exception {
        try (var scope = refusing()) {
            try (var generator =
                    Generator.<Integer>open(scope, "numbers", FlowOptions.usual(), to -> to.yield(1))) {
                assertThat(generator.next()).isEqualTo(1);
            }
            assertThat(Waits
                    .on(Flows.pipeline(scope, "stages", List.of(1, 2)).then(n -> n + 1).toList().result()))
                    .containsExactly(2, 3);
            var topic = Topic.<String>open(scope, "news", TopicOptions.defaults());
            var told = new CompletableFuture<String>();
            topic.subscribe(told::complete);
            topic.publish("a");
            assertThat(Waits.on(told)).isEqualTo("a");
            var value = ObservableValue.open(scope, "value", 1);
            var isTwo = value.when(n -> n == 2);
            value.set(2);
            assertThat(Waits.on(isTwo)).isEqualTo(2);
            Files.writeString(directory.resolve("there"), "x");
            var changes = new CompletableFuture<List<FileChange>>();
            DirectoryWatch.open(scope, "inbox", DirectoryWatchOptions.of(directory).withExisting(true),
                    changes::complete);
            assertThat(Waits.on(changes)).hasSize(1);
            assertThat(seen).isEmpty();
        }
    }

    @Test
    void theMessagesOfAPoolAreIntercepted() throws Exception {
        try (var scope =
                ActorSystem.configure("noted").around(handling -> "noted " + handling.proceed()).open();
                var pool =
                        WorkerPool.<String, String>openWithReturn(scope, "workers", PoolOptions.fixed(2, 10),
                                message -> message)) {
            assertThat(Waits.on(pool.sendMessageReturn("a"))).isEqualTo("noted a");
        }
    }
}
