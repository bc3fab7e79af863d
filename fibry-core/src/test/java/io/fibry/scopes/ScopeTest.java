package io.fibry.scopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.testing.Gate;
import io.fibry.testing.Recorder;
import io.fibry.testing.Senders;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ScopeTest {
    private final Recorder recorder = new Recorder();

    private static Actor<String, String> echo(ActorScope scope, String name) {
        return scope.named(name).newActorWithReturn((String message) -> name + " " + message);
    }

    @Test
    void namesAreOfOneScope() {
        try (var one = ActorSystem.open("one"); var two = ActorSystem.open("two")) {
            var first = echo(one, "same");
            var second = echo(two, "same");
            assertThat(one.<String, String>find(ActorName.of("same"))).containsSame(first);
            assertThat(two.<String, String>find(ActorName.of("same"))).containsSame(second);
            assertThat(ActorSystem.find(ActorName.of("same"))).isEmpty();
            assertThat(one.child("inner").open().find(ActorName.of("same"))).isEmpty();
            first.close();
            assertThat(one.find(ActorName.of("same"))).isEmpty();
            assertThat(one.name()).isEqualTo("one");
        }
    }

    @Test
    void theRootScopeHasNamesTooAndIsNeverClosed() {
        var before = ActorSystem.root().counters().handled();
        try (var actor = ActorSystem.named("root's").newActorWithReturn((String message) -> message)) {
            assertThat(actor.name()).isEqualTo("root's");
            assertThat(ActorSystem.<String, String>find(ActorName.of("root's")).orElseThrow().apply("x"))
                    .isEqualTo("x");
            assertThat(ActorSystem.root().sendOrKeep(ActorName.of("root's"), "y", 0))
                    .isTrue();
        }
        assertThat(ActorSystem.root().counters().handled() - before).isEqualTo(2);
        assertThat(ActorSystem.find(ActorName.of("root's"))).isEmpty();
    }

    @Test
    void messagesToANameCanBeKeptUpToABound() {
        var got = new CopyOnWriteArrayList<String>();
        try (var scope = ActorSystem.configure("test").listener(recorder).open()) {
            assertThat(scope.sendOrKeep(ActorName.of("late"), "refused", 0)).isFalse();
            assertThat(scope.sendOrKeep(ActorName.of("late"), "1", 2)).isTrue();
            assertThat(scope.sendOrKeep(ActorName.of("late"), "2", 2)).isTrue();
            assertThat(scope.sendOrKeep(ActorName.of("late"), "3", 2)).isFalse();
            assertThat(scope.find(ActorName.of("late"))).as("an actor").isEmpty();
            var actor = scope.named("late").newActor((String message) -> {
                got.add(message);
            });
            assertThat(scope.sendOrKeep(ActorName.of("late"), "4", 0)).isTrue();
            actor.close();
            assertThat(got).containsExactly("1", "2", "4");
            assertThat(scope.sendOrKeep(ActorName.of("late"), "5", 0)).isFalse();
        }
    }

    @Test
    void listenersHearTheirScopeAndThoseInsideUntilTheyCancel() {
        var inner = new Recorder();
        try (var scope = ActorSystem.configure("outer").listener(recorder).open();
                var child = scope.child("child").listener(inner).open()) {
            echo(scope, "a").close();
            echo(child, "b").close();
            assertThat(recorder.of(Started.class)).extracting(Started::actor).containsExactly("a", "b");
            assertThat(inner.of(Started.class)).extracting(Started::actor).containsExactly("b");
            var later = new Recorder();
            var listening = scope.listen(later);
            echo(child, "c").close();
            assertThat(listening.cancel()).isTrue();
            assertThat(listening.cancel()).isFalse();
            echo(child, "d").close();
            assertThat(later.of(Stopped.class)).extracting(Stopped::actor).containsExactly("c");
        }
        var everywhere = new Recorder();
        var listening = ActorSystem.root().listen(everywhere);
        try (var scope = ActorSystem.open("test")) {
            echo(scope, "e").close();
        } finally {
            listening.cancel();
        }
        assertThat(everywhere.of(Started.class)).extracting(Started::actor).containsExactly("e");
    }

    @Test
    void defaultsOfAScopeAreThoseOfTheScopesInIt() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("outer").strategy(CreationStrategy.threads()).time(time)
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject())).onFailure(FailurePolicy.stop())
                .listener(recorder).open(); var child = scope.child("child").open()) {
            var actor = child.named("heir").<String>newActor((context, message) -> {
                context.timers().once("key", Duration.ofSeconds(1), "tick");
                assertThat(Thread.currentThread().isVirtual()).isTrue();
            });
            try (var gate = Gate.in(actor)) {
                assertThat(actor.sendMessage("fits")).isTrue();
                assertThat(actor.sendMessage("does not")).isFalse();
                gate.open();
            }
            actor.waitForExit();
            assertThat(recorder.only(Failed.class).cause()).as("on a platform thread")
                    .isInstanceOf(AssertionError.class);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Stopped.Reason.FAILURE);

            var other = child.anonymous().strategy(CreationStrategy.fibers())
                    .mailbox(MailboxPolicy.unbounded()).onFailure(FailurePolicy.resume())
                    .newActorWithReturn((Integer n) -> Thread.currentThread().isVirtual());
            assertThat(other.apply(1)).as("what the actor says itself").isTrue();
        }
    }

    @Test
    void scopeBuildersAreImmutable() {
        var plain = ActorSystem.configure("plain");
        plain.strategy(CreationStrategy.threads());
        plain.listener(recorder);
        plain.mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()));
        try (var one = plain.open(); var two = plain.open()) {
            assertThat(one).isNotSameAs(two);
            var actor = one.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread().isVirtual());
            assertThat(actor.apply(1)).isTrue();
            assertThat(recorder.events()).isEmpty();
        }
    }

    @Test
    void closingTwiceAndFromSeveralThreadsDoesNoHarm() throws Exception {
        var scope = ActorSystem.open("test");
        var actor = echo(scope, "a");
        Senders.run(4, sender -> scope.close());
        scope.close();
        assertThat(actor.waitForExit(Duration.ZERO)).isTrue();
        assertThat(scope.stop(Duration.ZERO).stopped()).isTrue();
    }

    @Test
    void closeGivesTheActorsItsTimeOut() throws Exception {
        var entered = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        var scope = ActorSystem.configure("test").closeTimeout(Duration.ofMillis(20)).open();
        var actor = scope.anonymous().newActor((String message) -> {
            entered.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        actor.sendMessage("stay");
        Waits.on(entered);
        scope.close();
        Waits.on(interrupted);
        actor.waitForExit();
    }

    @Test
    void aClosedScopeCanBeAskedButMakesNothing() {
        var scope = ActorSystem.open("done");
        var builder = scope.anonymous();
        var child = scope.child("child");
        scope.close();
        assertThat(scope.find(ActorName.of("any"))).isEmpty();
        assertThat(scope.counters().total()).isZero();
        assertThatThrownBy(() -> builder.newActor((String message) -> {
        })).isInstanceOf(IllegalStateException.class).hasMessageContainingAll("'done'", "closed");
        assertThatThrownBy(child::open).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'done'", "closed");
    }
}
