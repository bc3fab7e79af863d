package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.files.DirectoryWatch;
import io.fibry.files.DirectoryWatchOptions;
import io.fibry.flow.Flows;
import io.fibry.pool.ParallelMap;
import io.fibry.testing.Waits;
import io.fibry.topic.ObservableValue;
import io.fibry.topic.ObservableView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What patterns say about values that they cannot take: what it was, of which object, and what to do. */
@Tag("once")
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // the tests are about null
class WrongUseTest {
    @TempDir
    Path directory;

    @Test
    void nullIsNamedWhereItIsGiven() throws Exception {
        try (var scope = ActorSystem.open("shop")) {
            var value = ObservableValue.open(scope, "level", 1);
            assertThatThrownBy(() -> value.await(null)).hasMessage("condition");
            assertThatThrownBy(() -> value.await(null, Duration.ofSeconds(1))).hasMessage("condition");
            assertThatThrownBy(() -> value.update(n -> null)).hasMessage("the new value of 'level'");
            assertThatThrownBy(
                    () -> ObservableView.combined(scope, "sum", value,
                            value, (a, b) -> null))
                    .hasMessage("the value of the function of 'sum'");
            var stock = Transactions.<TreeMap<String, Integer>, String>open(scope.named("tx"), TreeMap::new,
                    TreeMap::new, (state, item) -> state.put(item, 1));
            assertThatThrownBy(() -> stock.sendAll(Arrays.asList("tea", null)))
                    .hasMessage("a message of the group");
            assertThatThrownBy(
                    () -> ParallelMap.with(scope, 1, (String s) -> s).over(Arrays.asList("a", null).stream())
                            .toList())
                    .hasMessage("an element for 'parallel map'");
            assertThat(Waits.failure(Flows.pipeline(scope, "flow", Arrays.asList(1, null)).toList().result()))
                    .hasMessageContaining("the source has a null value; give it a value that stands for it");
            var retry = Retry.open(scope, "again",
                    RetryOptions.of(1, Duration.ofMillis(1), Duration.ofMillis(1)));
            assertThat(Waits.failure(retry.start(new Nothing())))
                    .hasMessage("the future that a " + Nothing.class.getName() + " returns as its attempt");
        }
    }

    private static final class Nothing implements Call<Integer> {
        @Override
        public CompletableFuture<Integer> start() {
            return null;
        }
    }

    @Test
    void numbersAndFilesThatCannotBeAreNamedWithTheRemedy() {
        try (var scope = ActorSystem.open("shop")) {
            assertThatThrownBy(() -> ParallelMap.with(scope, 0, (String s) -> s))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("most must be at least 1: 0; no element of a parallel map could be at work");
            var absent = directory.resolve("absent");
            assertThatThrownBy(
                    () -> DirectoryWatch.open(scope, "inbox", DirectoryWatchOptions.of(absent), List::size))
                    .hasMessageContainingAll("cannot watch " + absent,
                            "make the directory before it is watched");
        }
    }
}
