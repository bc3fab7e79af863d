package io.fibry.internal.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The line alone. */
class LateAnswersTest {
    private final ArrayDeque<Runnable> fibers = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private int failures;

    private final LateAnswers.Line<String> line = new LateAnswers.Line<>(fibers::add, 64, thing -> {
        if (failures-- > 0) {
            throw new OutOfMemoryError("on purpose");
        }
        done.add(thing);
    });

    @Test
    void whatCannotBeDoneForLackOfMemoryIsDoneNextTimeAndFirst() {
        line.add("one");
        line.add("two");
        assertThat(fibers).hasSize(1);
        failures = 1;
        assertThatThrownBy(fibers.remove()::run).isInstanceOf(OutOfMemoryError.class);
        assertThat(done).isEmpty();
        line.add("three");
        assertThat(fibers).hasSize(1);
        fibers.remove().run();
        assertThat(done).containsExactly("one", "two", "three");
    }
}
