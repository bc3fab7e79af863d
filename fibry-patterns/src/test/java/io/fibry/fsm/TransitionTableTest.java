package io.fibry.fsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a table of a machine refuses, and how it is drawn. */
class TransitionTableTest {
    private enum Light {
        RED, GREEN, DARK
    }

    private enum Signal {
        GO, HALT
    }

    private sealed interface Line {
        record Down() implements Line {
        }

        record Up(String peer) implements Line {
        }

        enum Fixed implements Line {
            BROKEN
        }
    }

    private sealed interface Call {
        record Dial(String peer) implements Call {
        }

        record HangUp() implements Call {
        }
    }

    private static TableBuilder<Light, Signal, Object> lights() {
        return TransitionTable.of(Light.class, Signal.class);
    }

    private static void refused(ThrowingCallable build, String... texts) {
        assertThatThrownBy(build).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(texts);
    }

    private static TableBuilder<Light, Signal, Object> complete() {
        return lights()
                .state(Light.RED, red -> red.on(Signal.GO).goTo(Light.GREEN).on(Signal.HALT).goTo(Light.DARK))
                .state(Light.DARK, dark -> dark.on(Signal.GO).ignore().on(Signal.HALT).ignore());
    }

    @Promise("45.1")
    @Test
    void aStateThatIsNotDescribed() {
        refused(() -> complete().build(Light.RED), "the table of Light has 2 errors", "unknown state GREEN",
                "RED goes there on GO", "state GREEN of Light is not described");
    }

    @Promise("45.1")
    @Test
    void aStateThatNothingLeadsTo() {
        refused(() -> complete().state(Light.GREEN, green -> green.end()).build(Light.DARK),
                "state RED cannot be reached from DARK", "state GREEN cannot be reached from DARK");
        refused(() -> lights().state(Light.RED, red -> red.on(Signal.GO).goTo(Light.RED)).build(Light.GREEN),
                "the initial state GREEN is not described", "no state takes the event HALT of Signal");
    }

    @Promise("45.1")
    @Test
    void whatEveryStateDoesLeadsToStates() {
        var table = lights().everyState(every -> every.on(Signal.HALT).goTo(Light.DARK))
                .state(Light.RED, red -> red.on(Signal.GO).goTo(Light.GREEN))
                .state(Light.GREEN, green -> green.onExit(s -> {
                })).state(Light.DARK, StateRows::end).build(Light.RED);
        assertThat(table).hasToString("TransitionTable[Light, states: 3]");
        assertThat(table.initial()).isEqualTo(Light.RED);
    }

    @Promise("45.1")
    @Test
    void aRowThatNeverApplies() {
        Guard<Object, Object, Object> guard = (state, event, data) -> true;
        refused(() -> complete()
                .state(Light.GREEN, green -> green.on(Signal.GO).stay().on(Signal.GO).goTo(Light.RED))
                .build(Light.RED), "an error: a second row of GREEN about GO never applies",
                "give the first one a guard");
        refused(() -> complete()
                .state(Light.GREEN, green -> green.on(Signal.class).stay().on(Signal.GO).postpone())
                .build(Light.RED), "a second row of GREEN about GO never applies");
        refused(() -> complete().state(Light.GREEN,
                green -> green.on(Signal.GO).when(guard).stay().on(Signal.GO).when(guard).goTo(Light.RED))
                .build(Light.RED), "GREEN about GO", "with the same guard");
        refused(() -> complete().state(Light.GREEN, green -> green.after(Duration.ofSeconds(1)).stay()
                .after(Duration.ofSeconds(1)).goTo(Light.RED)).build(Light.RED), "GREEN about after PT1S");
        complete().state(Light.GREEN, green -> green.on(Signal.GO).when(guard).stay()
                .on(Signal.GO).when((state, event, data) -> true).stay().on(Signal.class).stay()
                .after(Duration.ofSeconds(1)).stay().after(Duration.ofSeconds(2)).goTo(Light.RED))
                .build(Light.RED);
    }

    @Promise("45.1")
    @Test
    void anEventThatNoStateTakes() {
        refused(() -> TransitionTable.of(Line.class, Call.class)
                .state(Line.Down.class, down -> down.on(Call.Dial.class).goTo(Line.Up.class,
                        (state, dial, data) -> new Line.Up(dial.peer())))
                .state(Line.Up.class, up -> up.after(Duration.ofSeconds(1)).goTo(Line.Fixed.BROKEN))
                .state(Line.Fixed.BROKEN, broken -> broken.end()).build(new Line.Down()),
                "an error: no state takes the event HangUp of Call");
    }

    @Promise("45.1")
    @Test
    void otherErrors() {
        refused(() -> complete().state(Light.GREEN, StateRows::end)
                .state(Light.RED, red -> red.on(Signal.GO).ignore()).build(
                        Light.RED),
                "state RED is described twice");
        refused(() -> complete().state(Light.GREEN, green -> green.end().on(Signal.GO).stay())
                .build(Light.RED),
                "the machine stops in GREEN, so GREEN cannot take GO");
        refused(() -> complete().state(Light.GREEN, StateRows::end).everyState(StateRows::end)
                .build(Light.RED),
                "not every state can be a last one");
        assertThatThrownBy(() -> complete().state(Light.GREEN, green -> green.on(Signal.GO)))
                .isInstanceOf(IllegalStateException.class).hasMessageContainingAll("GO in GREEN", "goTo");
        assertThatThrownBy(() -> complete().state(Light.GREEN, green -> {
            green.on(Signal.GO);
            green.on(Signal.HALT).stay();
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("GO in GREEN");
        assertThatThrownBy(() -> complete().state(Light.GREEN,
                green -> green.after(Duration.ofSeconds(1)).postpone()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("time-out");
        assertThatThrownBy(() -> complete().state(Light.GREEN, green -> green.after(Duration.ZERO).stay()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("more than zero");
        assertThatThrownBy(() -> MachineOptions.standard().withPostponed(0)).hasMessageContaining("0");
        assertThatThrownBy(() -> MachineOptions.standard().withRaised(-1)).hasMessageContaining("-1");
    }

    @Promise("45.11")
    @Test
    void theDiagram() {
        var table = TransitionTable.of(Line.class, Call.class)
                .state(Line.Down.class, down -> down.on(Call.HangUp.class).postpone()
                        .on(Call.Dial.class).when("not me; 1:1", (state, dial, data) -> true)
                        .goTo(Line.Up.class,
                                (state, dial, data) -> new Line.Up(dial.peer()))
                        .on(Call.Dial.class).ignore())
                .state(Line.Up.class, up -> up.on(new Call.HangUp()).goTo(new Line.Down())
                        .on(Call.Dial.class).stay().after((state, data) -> Duration.ofSeconds(2))
                        .goTo(Line.Fixed.BROKEN))
                .state(Line.Fixed.BROKEN, broken -> broken.end()).build(new Line.Down());
        assertThat(table.toMermaid()).isEqualTo("""
                stateDiagram-v2
                    [*] --> Down
                    Down : postpones HangUp
                    Down --> Up : Dial [not me#59; 1#58;1]
                    Down : ignores Dial
                    Up --> Down : HangUp[]
                    Up : stays on Dial
                    Up --> BROKEN : after a time that depends on the data
                    BROKEN --> [*]
                """);
        assertThat(TransitionTable.of(String.class, String.class)
                .state("a state", rows -> rows.on("x").goTo("end"))
                .state("end", rows -> rows.on("y").goTo("a state"))
                .build("a state").toMermaid()).isEqualTo("""
                        stateDiagram-v2
                            state "a state" as s0_
                            state "end" as s1_
                            [*] --> s0_
                            s0_ --> s1_ : x
                            s1_ --> s0_ : y
                        """);
    }
}
