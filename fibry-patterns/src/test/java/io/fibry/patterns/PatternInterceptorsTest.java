package io.fibry.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.files.DirectoryWatch;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.files.FileChange;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Flows;
import io.fibry.flow.Generator;
import io.fibry.flow.StageOptions;
import io.fibry.message.MessageFate;
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
import java.util.stream.IntStream;
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

    /** Of a scope whose mailboxes drop all messages but one, and whose actors stop when they fail. */
    @Test
    void patternsHaveNoMailboxAndNoFailurePolicyOfTheScope() throws Exception {
        try (var scope = ActorSystem.configure("strict")
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropNewest()))
                .onFailure(FailurePolicy.stop()).listener(event -> {
                    if (event instanceof Undelivered) {
                        seen.add(event);
                    }
                }).open()) {
            var numbers = IntStream.range(0, 1_000).boxed().toList();
            for (var options : List.of(StageOptions.usual(), StageOptions.parallel(2))) {
                var stages = Flows.pipeline(scope, "stages", numbers).then(n -> n, options);
                assertThat(Waits.on(stages.toList().result())).isEqualTo(numbers);
            }
            var topic = Topic.<Integer>open(scope, "news", TopicOptions.defaults());
            var told = new CopyOnWriteArrayList<Integer>();
            topic.subscribe(number -> {
                told.add(number);
                throw new IllegalStateException("as wanted");
            });
            var fates = numbers.subList(0, 100).stream().map(topic::publishTracked).toList();
            for (var each : fates) {
                assertThat(Waits.on(each).fates().values()).singleElement()
                        .isInstanceOf(MessageFate.Failed.class);
            }
            assertThat(told).hasSize(100);
            var value = ObservableValue.open(scope, "value", -1);
            var changes = new CopyOnWriteArrayList<Integer>();
            value.subscribe(changes::add);
            numbers.subList(0, 100).forEach(value::set);
            Waits.until("all changes", () -> changes.size() == 100);
            assertThat(seen).as("lost").isEmpty();
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
