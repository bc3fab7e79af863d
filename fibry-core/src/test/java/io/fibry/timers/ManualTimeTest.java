package io.fibry.timers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class ManualTimeTest {
    private final ManualTime time = new ManualTime();
    private final ArrayList<String> ran = new ArrayList<>();

    private Runnable note(String name) {
        return () -> ran.add(name + "@" + time.nanoTime());
    }

    @Test
    void tasksRunInOrderEachAtItsTime() {
        time.schedule(20, note("b"));
        time.schedule(10, note("a"));
        time.schedule(20, note("c"));
        time.schedule(31, note("d"));
        time.advance(Duration.ofNanos(30));
        assertThat(ran).containsExactly("a@10", "b@20", "c@20");
        assertThat(time.nanoTime()).isEqualTo(30);
        assertThat(time.pending()).isEqualTo(1);
    }

    @Test
    void aTaskThatIsSetByATaskRunsInTheSameAdvance() {
        time.schedule(10, () -> time.schedule(10, note("later")));
        time.advance(Duration.ofNanos(20));
        assertThat(ran).containsExactly("later@20");
    }

    @Test
    void aCancelledTaskDoesNotRun() {
        var task = time.schedule(10, note("a"));
        assertThat(task.cancel()).isTrue();
        assertThat(task.cancel()).isFalse();
        time.advance(Duration.ofNanos(20));
        assertThat(ran).isEmpty();
    }

    @Test
    void aTaskThatIsDueRunsWithTheNextMove() {
        time.schedule(-1, note("now"));
        assertThat(ran).isEmpty();
        time.advance(Duration.ZERO);
        assertThat(ran).containsExactly("now@0");
    }

    @Test
    void theClockCanBeMovedToTheNextTask() {
        time.schedule(Long.MAX_VALUE, note("at the end of time"));
        time.schedule(7, note("next"));
        assertThat(time.advanceToNext()).isTrue();
        assertThat(ran).containsExactly("next@7");
        assertThat(time.advanceToNext()).isTrue();
        assertThat(time.advanceToNext()).isFalse();
    }
}
