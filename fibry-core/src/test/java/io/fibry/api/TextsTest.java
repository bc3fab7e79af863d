package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Stuck;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** What is shown of the library's objects, in logs and debuggers. */
class TextsTest {
    private static final Set<Class<?>> NEED_WORDS =
            Set.of(Optional.class, OptionalInt.class, OptionalLong.class,
                    OptionalDouble.class, Class.class);

    private static List<Class<?>> eventRecords() throws IOException, ClassNotFoundException {
        var found = new ArrayList<Class<?>>();
        var main = Path.of("src/main/java");
        try (var files = Files.walk(main.resolve("io/fibry/event"))) {
            for (var file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                var name = main.relativize(file).toString().replace(".java", "").replace('/', '.');
                if (!name.endsWith("-info")) {
                    addRecords(Class.forName(name, false, TextsTest.class.getClassLoader()), found);
                }
            }
        }
        return found;
    }

    /** What a user's message says is not for the log. */
    private static final Set<String> NEVER_SHOWN = Set.of("keptMessage");

    private static void addRecords(Class<?> type, List<Class<?>> found) {
        if (type.isRecord() && Modifier.isPublic(type.getModifiers())) {
            found.add(type);
        }
        for (var inner : type.getDeclaredClasses()) {
            addRecords(inner, found);
        }
    }

    private static boolean writesItsOwn(Class<?> type) throws IOException {
        var outer = type;
        while (outer.getDeclaringClass() != null) {
            outer = outer.getDeclaringClass();
        }
        var source = Files.readString(Path.of("src/main/java", outer.getName().replace('.', '/') + ".java"));
        var begin = source.indexOf("record " + type.getSimpleName() + "(");
        var parts = type.getRecordComponents();
        return Arrays.stream(parts).map(RecordComponent::getName).filter(part -> !NEVER_SHOWN.contains(part))
                .allMatch(part -> source.indexOf(".with(\"" + part + "\", " + part + ")", begin) > 0);
    }

    @Test
    void noEventShowsAnOptionalOrTheWordClass() throws Exception {
        var bare = new ArrayList<Class<?>>();
        for (var type : eventRecords()) {
            var needsWords = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType)
                    .anyMatch(NEED_WORDS::contains);
            if (needsWords && !writesItsOwn(type)) {
                bare.add(type);
            }
        }
        assertThat(bare).as("events whose toString does not name all parts by RecordText").isEmpty();
    }

    @Test
    void events() {
        var failure = new IllegalStateException("no");
        assertThat(Failed.onMessage("tom", String.class, failure)).hasToString(
                "Failed[actor=tom, part=HANDLER, message=java.lang.String, cause=java.lang.IllegalStateException: no]");
        assertThat(Failed.in(Failed.Part.BODY, "tom", failure))
                .hasToString("Failed[actor=tom, part=BODY, cause=java.lang.IllegalStateException: no]");
        assertThat(new Escalated("tom", Optional.of("boss"), failure).toString()).contains("parent=boss,");
        assertThat(new Stuck("tom", Optional.of(Integer.class), Duration.ofMillis(1_500), List.of()))
                .hasToString("Stuck[actor=tom, message=java.lang.Integer, runningFor=PT1.5S]");
    }

    @Test
    void aFailureOfAHandlerHasAMessageAndNoOther() {
        assertThatThrownBy(() -> Failed.in(Failed.Part.HANDLER, "tom", new Exception()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll("HANDLER", "none");
        assertThatThrownBy(
                () -> new Failed("tom", Failed.Part.BODY, Optional.of(String.class), new Exception()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("BODY", "java.lang.String");
    }

    @Test
    void policies() {
        assertThat(OverflowPolicy.block()).hasToString("Block[]");
        assertThat(OverflowPolicy.block(Duration.ofSeconds(2))).hasToString("Block[timeout=PT2S]");
        assertThat(FailurePolicy.when(IOException.class, FailurePolicy.stop()).toString())
                .contains("Case[thrown=java.io.IOException, policy=Stop[]]");
    }

    @Test
    void aScopeShowsItsNameAndState() {
        var scope = ActorSystem.open("shop");
        try (scope) {
            assertThat(scope).hasToString("ActorScope[shop, OPEN, actors: 0]");
            scope.named("ann").newActor((String message) -> {
            });
            try (var inside = scope.child("till").open()) {
                assertThat(scope).hasToString("ActorScope[shop, OPEN, actors: 1, scopes inside: 1]");
                assertThat(inside.toString()).contains("till", "OPEN");
            }
        }
        assertThat(scope).hasToString("ActorScope[shop, CLOSED, actors: 0]");
        assertThat(scope.stop(Duration.ZERO).toString())
                .startsWith("StopReport[name=shop, stopped=true, forced=");
    }

    @Test
    void whatUsersHoldSaysWhatItIs() throws Exception {
        var inside = new LinkedBlockingQueue<Object>();
        try (var scope = ActorSystem.open("shop")) {
            var ann = scope.named("ann").<String>newActor((context, message) -> {
                inside.add(context.toString());
                inside.add(context.timers().toString());
            });
            ann.sendMessage("hello");
            assertThat(inside.take()).isEqualTo("ActorContext[ann]");
            assertThat(inside.take()).isEqualTo("Timers[ann, set: 0]");
            assertThat(ActorSystem.configure("x")).hasToString("ScopeBuilder[x]");
            assertThat(scope.anonymous())
                    .hasToString("ActorBuilder[anonymous in ActorScope[shop, OPEN, actors: 1]]");
            assertThat(scope.named("bob"))
                    .hasToString("ActorBuilder[bob in ActorScope[shop, OPEN, actors: 1]]");
            assertThat(scope.named("bob").state(Object::new)).hasToString(
                    "StatefulActorBuilder[bob in ActorScope[shop, OPEN, actors: 1]]");
            var later = scope.schedule(Schedule.once(Duration.ofDays(1)), () -> {
            });
            assertThat(later.toString()).startsWith("Scheduled[Schedule[").endsWith(", fired: 0]");
            later.cancel();
            assertThat(later.toString()).endsWith(", over]");
            assertThat(scope.named("crew").newGroup(GroupPolicy.oneForOne()).toString())
                    .startsWith("ActorGroup[crew, ");
            assertThat(CreationStrategy.fibers()).hasToString("fibers");
            assertThat(new ManualTime()).hasToString("ManualTime[PT0S after its start, tasks: 0]");
        }
    }
}
