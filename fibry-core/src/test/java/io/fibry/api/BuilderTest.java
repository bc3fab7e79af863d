package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Stopped;
import io.fibry.testing.Gate;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BuilderTest {
    private final Recorder recorder = new Recorder();
    private final ActorScope scope = ActorSystem.configure("test").listener(recorder).open();

    @AfterEach
    void close() {
        scope.close();
    }

    private static boolean isVirtual(ActorBuilder builder) throws Exception {
        return Waits.on(builder.newActorWithReturn((Integer n) -> Thread.currentThread().isVirtual())
                .sendMessageReturn(1));
    }

    @Test
    void everyCallReturnsAnotherBuilderAndLeavesTheFirstAsItWas() throws Exception {
        var hooks = new CopyOnWriteArrayList<String>();
        var plain = scope.anonymous();
        plain.strategy(CreationStrategy.threads());
        plain.mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()));
        plain.onFailure(FailurePolicy.stop());
        plain.onExit(() -> hooks.add("plain"));
        plain.interruptOnCancel();

        assertThat(isVirtual(plain)).isTrue();
        var actor = plain.newActor((Integer n) -> {
            throw new IllegalStateException();
        });
        try (var gate = Gate.in(actor)) {
            for (int i = 0; i < 10; i++) {
                assertThat(actor.sendMessage(i)).as("no bound").isTrue();
            }
            gate.open();
        }
        actor.close();
        assertThat(actor.counters().failed()).as("went on after failures, until all was handled")
                .isEqualTo(10);
        assertThat(hooks).isEmpty();
    }

    @Test
    void hooksAddUpFromBuilderToBuilder() {
        var hooks = new CopyOnWriteArrayList<String>();
        var one = scope.anonymous().onExit(() -> hooks.add("one"));
        var two = one.onExit(() -> hooks.add("two"));
        one.newActor((Integer n) -> {
        }).close();
        assertThat(hooks).containsExactly("one");
        two.newActor((Integer n) -> {
        }).close();
        assertThat(hooks).containsExactly("one", "one", "two");
    }

    @Test
    void strategySaysWhereTheActorRuns() throws Exception {
        assertThat(isVirtual(scope.anonymous().strategy(CreationStrategy.threads()))).isFalse();
        assertThat(isVirtual(scope.anonymous().strategy(CreationStrategy.fibers()))).isTrue();
    }

    @Test
    void oneBuilderMakesManyActors() throws Exception {
        var builder = scope.anonymous().onFailure(FailurePolicy.stop());
        var actors = new ArrayList<io.fibry.Actor<Integer, Integer>>();
        for (int i = 0; i < 10; i++) {
            actors.add(builder.newActorWithReturn((Integer n) -> n));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(actors.get(i).apply(i)).isEqualTo(i);
        }
        assertThat(actors).doesNotHaveDuplicates();
    }

    @Test
    void oneNamedBuilderMakesOneActorAtATime() {
        var builder = scope.named("one");
        builder.newActor((Integer n) -> {
        }).close();
        builder.newActor((Integer n) -> {
        }).close();
        assertThat(recorder.of(Stopped.class)).extracting(Stopped::actor).containsExactly("one", "one");
    }
}
