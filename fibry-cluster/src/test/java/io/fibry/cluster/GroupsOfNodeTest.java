package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.GroupsOfNode.Shared;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GroupsOfNodeTest {
    private static final ClusterGroup<Integer, Integer, Void> NUMBERS =
            ClusterGroup.of("numbers", Integer.class, Integer.class, Void.class, key -> key);

    private final GroupsOfNode groups = new GroupsOfNode(new ClusterNode(new UUID(1, 1), "a", true));

    private static Shared shared(boolean isOver) {
        return new Shared(NUMBERS, Optional.empty(), limit -> {
            throw new AssertionError("it is not stopped here");
        }, () -> isOver, Optional.empty());
    }

    /** Two threads have found the name free. */
    @Test
    void whoComesSecondUndoesWhatItHasDone() {
        var undone = new AtomicInteger();
        var first = shared(false);
        try (var addition = groups.addition()) {
            addition.requireNew(NUMBERS);
            addition.add(first, undone::incrementAndGet);
            assertThatThrownBy(() -> addition.add(shared(false), undone::incrementAndGet))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("numbers");
        }
        assertThat(undone).hasValue(1);
        assertThat(groups.find(NUMBERS)).containsSame(first);
    }

    @Test
    void aNameIsFreeWhenWhatHadItHasEnded() {
        try (var addition = groups.addition()) {
            addition.add(shared(true));
            addition.requireNew(NUMBERS);
            var next = shared(false);
            addition.add(next);
            assertThat(groups.find(NUMBERS)).containsSame(next);
        }
    }

    @Test
    void nothingIsSharedAfterALeaveHasBegun() {
        assertThat(groups.beginLeave()).isTrue();
        assertThat(groups.beginLeave()).isFalse();
        try (var addition = groups.addition()) {
            assertThatThrownBy(() -> addition.requireNew(NUMBERS)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("has left its cluster");
        }
    }
}
