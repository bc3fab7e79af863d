package io.fibry.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The JSON of a dump has what the dump has, whatever the names of scopes and actors are. */
class DumpJsonTest {
    private static final Counters COUNTERS = new Counters(1, 2, 3, 4, 5, 6);
    private static final String STRANGE =
            "a \"name\"\\ with\n\t\u0001\u007f, ü, \ud83c\udf3f and half of a pair: \ud83c";

    private static ActorDump actor(String name) {
        var work = new Work(Optional.of("java.lang.String"), Optional.of(Duration.ofMillis(2)), "thread",
                Optional.of(Thread.State.WAITING),
                List.of(new StackTraceElement("A", "b", "A.java", 3)));
        return new ActorDump(name, "Handler", ActorState.BUSY, 7, 8, Optional.of(Duration.ofNanos(9)),
                COUNTERS, List.of(work),
                List.of("bank"), Optional.of("parent"), 10, 11, 12, 13);
    }

    private static Dump dump(String name) {
        var inner = new ScopeDump("inner", ScopeDump.State.CLOSING, true, 0, 0, 0, 0, COUNTERS, Map.of(),
                List.of(),
                List.of(), 0, 0, 0,
                List.of(), List.of(), List.of(), List.of());
        var scope = new ScopeDump(name, ScopeDump.State.OPEN, true, 1, 2, 3, 4, COUNTERS,
                Map.of(Cause.STOPPED, 5L), List.of("actor 'a' did not"),
                List.of(new LimitUse("OPEN_ASKS", 1, 2, 3)), 6, 7, 8,
                List.of(new HandlerTotals("Handler", 1, 2, 3, 4, 5, 6, 7)), List.of(actor(name)),
                List.of(new DumpSection(name, List.of("node", name),
                        List.of(List.of("a", name), List.of("b", "2")))),
                List.of(inner));
        return new Dump(Instant.EPOCH, Duration.ofNanos(5), "25", 2, 6, scope,
                List.of(new WaitChain(List.of(name, "b"), 3, WaitChain.Ending.BEHIND, "A.b(A.java:3)")));
    }

    private static JsonNode read(Dump dump) throws IOException {
        return new ObjectMapper().readTree(dump.json());
    }

    @Promise("50.1")
    @Test
    void theJsonHasEachComponent() throws Exception {
        var dump = dump("shop");
        check("dump", dump, read(dump));
    }

    /** Compares a record with an object. */
    private static void check(String where, Record expected, JsonNode json) throws Exception {
        for (var part : expected.getClass().getRecordComponents()) {
            check(where + "." + part.getName(), part, value(part, expected), json);
        }
    }

    private static void check(String where, RecordComponent part, Object value, JsonNode json)
            throws Exception {
        var present = value instanceof Optional<?> maybe ? maybe.orElseThrow() : value;
        var node = json.get(part.getName());
        switch (present) {
            case Duration time -> assertThat(json.get(part.getName() + "Nanos").longValue()).as(where)
                    .isEqualTo(time.toNanos());
            case Collection<?> none when none.isEmpty() -> assertThat(node).as(where).isNull();
            case Map<?, ?> none when none.isEmpty() -> assertThat(node).as(where).isNull();
            case List<?> list -> {
                assertThat(node).as(where).hasSize(list.size());
                for (int i = 0; i < list.size(); i++) {
                    if (list.get(i) instanceof Record each) {
                        check(where + i, each, node.get(i));
                    } else if (list.get(i) instanceof List<?> row) {
                        assertThat(node.get(i).valueStream().map(JsonNode::textValue)).as(where + i)
                                .isEqualTo(row);
                    } else {
                        assertThat(node.get(i).textValue()).as(where + i).isEqualTo(list.get(i).toString());
                    }
                }
            }
            case Map<?, ?> map -> map.forEach(
                    (key, number) -> assertThat(node.get(key.toString()).longValue()).as(where)
                            .isEqualTo(number));
            case Record inner -> check(where, inner, node);
            case Number number -> assertThat(node.longValue()).as(where).isEqualTo(number.longValue());
            case Boolean flag -> assertThat(node.booleanValue()).as(where).isEqualTo(flag);
            default -> assertThat(node.textValue()).as(where).isEqualTo(present.toString());
        }
    }

    private static Object value(RecordComponent part, Record of) throws Exception {
        return part.getAccessor().invoke(of);
    }

    @Promise("50.1")
    @Test
    void strangeNamesAreEscaped() throws Exception {
        var json = read(dump(STRANGE));
        assertThat(json.get("scope").get("name").textValue()).isEqualTo(STRANGE);
        assertThat(json.get("scope").get("shown").get(0).get("name").textValue()).isEqualTo(STRANGE);
    }

    @Promise("50.1")
    @Test
    void theJsonOfAScopeCanBeRead() throws Exception {
        try (var scope = ActorSystem.open("shop")) {
            scope.named("stock").newActor((String message) -> {
            });
            assertThat(read(scope.dump()).get("scope").get("shown").get(0).get("name").textValue())
                    .isEqualTo("stock");
        }
    }
}
