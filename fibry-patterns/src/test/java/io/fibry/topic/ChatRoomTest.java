package io.fibry.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.topic.ChatEvent.Departure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A room whose members hear each other. */
class ChatRoomTest {
    private final Recorder recorder = new Recorder();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder);
    }

    private static ChatRoom<String> open(ActorScope scope, ChatRoomOptions options) {
        return ChatRoom.open(scope, "lobby", options);
    }

    /** What a member hears. */
    private static final class Ears {
        private final List<String> heard = new CopyOnWriteArrayList<>();

        void hear(ChatEvent<String> event) {
            heard.add(switch (event) {
                case ChatEvent.Welcome<String>(var history) ->
                    "welcome" + history.stream().map(ChatEvent.Said::message).toList();
                case ChatEvent.Joined<String>(var who, var here) -> who + " joined " + here;
                case ChatEvent.Said<String>(var number, var who, var message) ->
                    number + " " + who + ": " + message;
                case ChatEvent.Left<String>(var who, var why, var here) -> who + " " + why + " " + here;
            });
        }

        void heard(String... all) {
            Waits.soon().untilAsserted(() -> assertThat(heard).containsExactly(all));
        }
    }

    @Promise("48.1")
    @EveryStrategy
    void membersComeTalkAndGo(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var room = open(scope, ChatRoomOptions.defaults())) {
            var ann = new Ears();
            var bob = new Ears();
            var annHere = room.join("ann", ann::hear);
            assertThat(annHere.say("hello")).isTrue();
            Waits.until("she is here", () -> room.members().equals(List.of("ann")));
            var bobHere = room.join("bob", bob::hear);
            bobHere.say("hi");
            bob.heard("welcome[]", "bob joined [ann, bob]", "2 bob: hi");
            ann.heard("welcome[]", "ann joined [ann]", "1 ann: hello", "bob joined [ann, bob]", "2 bob: hi");
            annHere.leave();
            assertThat(annHere.say("too late")).isFalse();
            bob.heard("welcome[]", "bob joined [ann, bob]", "2 bob: hi", "ann LEFT [bob]");
            assertThat(Waits.on(annHere.onLeft())).isEqualTo(Departure.LEFT);
            assertThat(ann.heard).hasSize(5);
            assertThat(room.members()).containsExactly("bob");
            assertThat(room).hasToString("ChatRoom[lobby, members: 1]");
            assertThat(bobHere).hasToString("ChatMember[bob of lobby]");
            assertThat(bobHere.counters().failed()).isZero();
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("48.1")
    @EveryStrategy
    void allMembersHearTheSameInOneOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults().withOutbox(2_000))) {
            var ears = List.of(new Ears(), new Ears(), new Ears());
            var members = new ArrayList<ChatMember<String>>();
            for (var each : ears) {
                members.add(room.join("m", each::hear));
            }
            Waits.until("all are here", () -> room.members().size() == 3);
            var speakers = new ArrayList<Thread>();
            for (var member : members) {
                speakers.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 200; i++) {
                        member.say("x" + i);
                    }
                }));
            }
            for (var speaker : speakers) {
                Waits.on(speaker);
            }
            for (var each : ears) {
                Waits.until("all is heard",
                        () -> !each.heard.isEmpty() && each.heard.getLast().startsWith("600 "));
            }
            var last = ears.getLast().heard;
            assertThat(last).hasSize(602);
            for (var each : ears) {
                assertThat(each.heard).endsWith(last.subList(2, 602).toArray(String[]::new));
            }
        }
    }

    @Promise("48.1")
    @EveryStrategy
    void aNewMemberIsToldWhatWasSaidLast(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults().withHistory(2))) {
            var ann = room.join("ann", event -> {
            });
            for (var text : List.of("a", "b", "c")) {
                ann.say(text);
            }
            var bob = new Ears();
            room.join("bob", bob::hear);
            bob.heard("welcome[b, c]", "bob joined [ann, bob]");
        }
    }

    @Promise("48.3")
    @EveryStrategy
    void aSlowMemberIsRemovedAndHurtsNoOther(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the handlers run on the thread that talks
        }
        var go = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults().withOutbox(5))) {
            var slow = room.join("slow", event -> {
                begun.countDown();
                Waits.on(go);
            });
            Waits.on(begun);
            var ann = new Ears();
            var annHere = room.join("ann", ann::hear);
            var hears = new ArrayList<String>(List.of("welcome[]", "ann joined [slow, ann]"));
            for (int i = 1; !slow.onLeft().isDone(); i++) {
                annHere.say("x");
                hears.add(i + " ann: x");
                int said = i;
                Waits.until("it is heard", () -> ann.heard.contains(said + " ann: x"));
            }
            hears.add("slow TOO_SLOW [ann]");
            ann.heard(hears.toArray(String[]::new));
            assertThat(hears).hasSizeBetween(6, 8);
            assertThat(Waits.on(slow.onLeft())).isEqualTo(Departure.TOO_SLOW);
            go.countDown();
        } finally {
            go.countDown();
        }
    }

    @Promise("48.3")
    @EveryStrategy
    void aSlowMemberMayStayAndLoseTheOldest(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the handlers run on the thread that talks
        }
        var go = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var ears = new Ears();
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults().withOutbox(2).withKeepingSlow(true))) {
            var slow = room.join("slow", event -> {
                begun.countDown();
                Waits.on(go);
                ears.hear(event);
            });
            Waits.on(begun);
            for (int i = 1; i <= 10; i++) {
                slow.say("x");
            }
            Waits.until("the room has told all", () -> room.counters().handled() == 11);
            go.countDown();
            ears.heard("welcome[]", "9 slow: x", "10 slow: x");
            assertThat(slow.counters().dropped()).isEqualTo(9);
            assertThat(room.members()).containsExactly("slow");
        } finally {
            go.countDown();
        }
    }

    @Promise("48.4")
    @EveryStrategy
    void aMemberWhoseActorStopsIsRemoved(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults()
                        .withActors(actor -> actor.onFailure(FailurePolicy.stop())))) {
            var ann = new Ears();
            room.join("ann", ann::hear);
            var bob = room.join("bob", event -> {
                if (event instanceof ChatEvent.Said<String>) {
                    throw new IllegalStateException("as wanted");
                }
            });
            bob.say("last words");
            assertThat(Waits.on(bob.onLeft())).isEqualTo(Departure.ENDED);
            ann.heard("welcome[]", "ann joined [ann]", "bob joined [ann, bob]", "1 bob: last words",
                    "bob ENDED [ann]");
            assertThat(recorder.await(Failed.class).cause()).hasMessage("as wanted");
        }
    }

    @Promise("48.4")
    @EveryStrategy
    void aHandlerMayLeaveAndIsNotCalledAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var room = open(scope, ChatRoomOptions.defaults())) {
            var me = new CompletableFuture<ChatMember<String>>();
            var ears = new Ears();
            var member = room.join("ann", event -> {
                ears.hear(event);
                if (event instanceof ChatEvent.Said<String>) {
                    Waits.on(me).leave();
                }
            });
            me.complete(member);
            member.say("one");
            member.say("two");
            Waits.on(member.onLeft());
            Waits.until("none is here", () -> room.members().isEmpty());
            ears.heard("welcome[]", "ann joined [ann]", "1 ann: one");
        }
    }

    @Promise("48.4")
    @EveryStrategy
    void noMoreMembersThanMay(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var room = open(scope, ChatRoomOptions.defaults().withMembers(1))) {
            var ann = room.join("ann", event -> {
            });
            assertThatThrownBy(() -> room.join("bob", event -> {
            })).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the room 'lobby' has as many members as it may, 1");
            ann.close();
            Waits.until("bob may join", () -> mayJoin(room));
            Waits.until("bob is here", () -> room.members().equals(List.of("bob")));
        }
    }

    private static boolean mayJoin(ChatRoom<String> room) {
        try {
            room.join("bob", event -> {
            });
            return true;
        } catch (IllegalStateException full) {
            return false;
        }
    }

    @Promise("48.4")
    @EveryStrategy
    void theEndOfTheRoomEndsAllMembers(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var room = open(scope, ChatRoomOptions.defaults());
            var ears = new Ears();
            var ann = room.join("ann", ears::hear);
            ann.say("last words");
            assertThat(room.stop(Duration.ofSeconds(20)).forced()).isFalse();
            Waits.on(room.onStopped());
            ears.heard("welcome[]", "ann joined [ann]", "1 ann: last words");
            assertThat(Waits.on(ann.onLeft())).isEqualTo(Departure.ENDED);
            assertThat(ann.say("too late")).isFalse();
            assertThatThrownBy(() -> room.join("bob", ears::hear)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void wrongNumbersAreRefused() {
        var options = ChatRoomOptions.defaults();
        assertThatThrownBy(() -> options.withHistory(-1)).hasMessage("history must be at least 0: -1");
        assertThatThrownBy(() -> options.withOutbox(1)).hasMessage("outbox must be at least 2: 1");
        assertThatThrownBy(() -> options.withMembers(0)).hasMessage("members must be at least 1: 0");
        assertThatThrownBy(() -> options.withWaiting(0)).hasMessage("waiting must be at least 1: 0");
    }
}
