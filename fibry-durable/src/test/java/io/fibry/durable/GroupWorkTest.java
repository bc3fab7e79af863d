package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupWorkTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Test
    void whatWaitsIsDoneAlsoIfTheScopeTakesNoMoreJobs() throws Exception {
        var turns = new LinkedBlockingQueue<Runnable>();
        var scope = ActorScope.open("test");
        var work =
                new GroupWork<Integer, Integer>(scope, "double", 10, LIMIT, CreationStrategy.of(turns::add),
                        parts -> parts.stream().map(n -> 2 * n).toList());
        var answer = work.submit(4);
        var turn = turns.take();
        var closing = Thread.ofVirtual().start(scope::close);
        Waits.until("the scope takes no jobs", () -> !takesJobs(scope));
        turn.run();
        assertThat(Waits.on(answer)).isEqualTo(8);
        while (closing.isAlive()) {
            var rest = turns.poll();
            if (rest != null) {
                rest.run();
            }
            Thread.onSpinWait();
        }
        work.end();
        assertThat(Waits.failure(work.submit(5))).hasMessageContaining("closed");
    }

    private static boolean takesJobs(ActorScope scope) {
        try {
            scope.scheduler().run(Schedule.once(LIMIT), () -> {
            }).cancel();
            return true;
        } catch (IllegalStateException closing) {
            return false;
        }
    }

    @Test
    void eachGroupHasTheWholeLimit() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorScope.configure("test").time(time).open()) {
            var go = new LinkedBlockingQueue<Integer>();
            var begun = new LinkedBlockingQueue<List<Integer>>();
            var work = new GroupWork<Integer, Integer>(scope, "double", 1, LIMIT, CreationStrategy.threads(),
                    parts -> {
                        begun.add(parts);
                        go.take();
                        return parts;
                    });
            // A timer is set by the first group, and is still set when the second one begins.
            var first = work.submit(1);
            begun.take();
            time.advance(Duration.ofSeconds(3));
            go.add(1);
            assertThat(Waits.on(first)).isEqualTo(1);
            var second = work.submit(2);
            begun.take();
            time.advance(Duration.ofSeconds(3)); // the timer of the first group, and one for what is left to the second
            go.add(1);
            assertThat(Waits.on(second)).isEqualTo(2);
            var third = work.submit(3);
            begun.take();
            var behind = work.submit(4);
            IntStream.range(0, 3).forEach(i -> time.advance(LIMIT));
            assertThat(Waits.failure(third)).hasMessageContaining("has not answered for PT5S");
            assertThat(Waits.failure(behind)).hasMessageContaining("has not answered for PT5S");
            go.add(1);
            // After a time without groups no timer is set. The next group sets one.
            var last = work.submit(5);
            assertThat(begun.take()).isEqualTo(List.of(5));
            go.add(1);
            assertThat(Waits.on(last)).isEqualTo(5);
            time.advance(LIMIT);
            var stuck = work.submit(6);
            begun.take();
            time.advance(LIMIT);
            time.advance(LIMIT);
            assertThat(Waits.failure(stuck)).hasMessageContaining("has not answered for PT5S");
            go.add(1);
        }
    }
}
