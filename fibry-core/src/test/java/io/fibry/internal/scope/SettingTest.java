package io.fibry.internal.scope;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.Handling;
import io.fibry.Interceptor;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.Watchdog;
import io.fibry.event.ActorListener;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.scope.Setting.Form;
import io.fibry.internal.scope.Setting.Heir;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each setting is declared, once and as a whole, and docs/settings.md says the same. */
class SettingTest {
    private static final Path PAGE = Path.of("..", "docs", "settings.md");
    /** Methods that change the setting of another method. */
    private static final Map<String, String> SAME =
            Map.of("withoutDefaults", "around", "senderSites", "carry");
    /** The fields of a specification that say which actor it is, and where. The others belong to settings. */
    private static final Set<String> WHICH =
            Set.of("scope", "strategy", "placement", "name", "parent", "inheritance");
    /** The fields that follow from others. */
    private static final Set<String> DERIVED =
            Set.of("mayBeRunByCallers", "mayRunOnTop", "mayRunOnCaller", "layeredTwin", "endedTwin",
                    "unnamed");

    private record Unheard() implements MeasureListener {
        @Override
        public void onWait(MeasuredGroup group, long nanos) {
        }

        @Override
        public void onRun(MeasuredGroup group, long nanos) {
        }
    }

    private static Object sample(Class<?> type) {
        var samples = Map.<Class<?>, Object>ofEntries(
                Map.entry(CreationStrategy.class, CreationStrategy.threads()),
                Map.entry(MailboxPolicy.class, MailboxPolicy.bounded(3, OverflowPolicy.reject())),
                Map.entry(FailurePolicy.class, FailurePolicy.stop()),
                Map.entry(Interceptor.class, (Interceptor) Handling::proceed),
                Map.entry(Body.class, (Body) () -> {
                }), Map.entry(Handler.class, (Handler<Object>) any -> {
                }), Map.entry(ContextCarrier.class, ContextCarrier.mdc()), Map.entry(int.class, 3),
                Map.entry(Duration.class, Duration.ofSeconds(3)),
                Map.entry(TimeSource.class, new ManualTime()),
                Map.entry(RandomGenerator.class, new Random(3)),
                Map.entry(ActorListener.class, (ActorListener) event -> {
                }), Map.entry(ScopeLimits.class, ScopeLimits.none().waiting(3)),
                Map.entry(Watchdog.class, Watchdog.none().stuckAfter(Duration.ofSeconds(3))),
                Map.entry(MeasureListener.class, new Unheard()),
                Map.entry(MeasureOptions.class, MeasureOptions.defaults()));
        return Objects.requireNonNull(samples.get(type), "this test needs a value for a setting: a " + type);
    }

    private static <B> B set(B builder, Method method) throws ReflectiveOperationException {
        var arguments = Stream.of(method.getParameterTypes()).map(SettingTest::sample).toArray();
        @SuppressWarnings("unchecked") // it returns a builder of the same kind
        var changed = (B) method.invoke(builder, arguments);
        return changed;
    }

    /** The methods of a builder that set something. */
    private static List<Method> settings(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(method -> method.getReturnType() == builder && !SAME.containsKey(method.getName()))
                .toList();
    }

    private static Set<String> names(Class<?> builder) {
        return settings(builder).stream().map(Method::getName).collect(toSet());
    }

    private static ScopeSpec child(String name) {
        return (ScopeSpec) ActorSystem.root().child(name);
    }

    /** A specification with all settings. */
    private static ActorSpec full(Scope scope) throws ReflectiveOperationException {
        var builder = scope.anonymous();
        for (var method : settings(ActorBuilder.class)) {
            builder = set(builder, method);
        }
        return ((Builder) builder).spec();
    }

    private static List<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .peek(field -> field.setAccessible(true)).toList();
    }

    /** The names of the fields in which two objects differ. */
    private static Set<String> differences(Object one, Object other) throws ReflectiveOperationException {
        var found = new TreeSet<String>();
        for (var field : fields(one.getClass())) {
            if (!Objects.equals(field.get(one), field.get(other))) {
                found.add(field.getName());
            }
        }
        return found;
    }

    private static Set<String> ofSettings(Set<String> fields) {
        return fields.stream().filter(field -> !WHICH.contains(field) && !DERIVED.contains(field))
                .collect(toSet());
    }

    @Test
    void eachMethodOfABuilderOfActorsHasAConstant() {
        var declared = Stream.of(Setting.values()).map(setting -> setting.method).collect(toSet());
        assertThat(declared).contains("mailbox").containsAll(names(ActorBuilder.class));
        for (var method : declared) {
            assertThat(
                    names(ActorBuilder.class).contains(method) || names(ScopeBuilder.class).contains(method))
                    .as(method).isTrue();
        }
    }

    /** A field that no setting resets would be handed down to everything, and nobody would have decided that. */
    @Test
    void eachFieldOfASpecificationBelongsToASetting() throws ReflectiveOperationException {
        try (var scope = child("full").carry(ContextCarrier.mdc()).nameActorsInMdc().open()) {
            var full = full((Scope) scope);
            var unset = new ActorSpec().in(full.scope(), full.strategy());
            var all = ofSettings(fields(ActorSpec.class).stream().map(Field::getName).collect(toSet()));
            assertThat(ofSettings(differences(full, unset))).as("fields that a method of a builder sets")
                    .isEqualTo(all);
            var left = full;
            var owners = new ArrayList<String>();
            for (var setting : Setting.values()) {
                var without = setting.without(left);
                if (setting != Setting.STRATEGY) {
                    assertThat(ofSettings(differences(left, without))).as(setting.name()).hasSize(1);
                }
                owners.addAll(ofSettings(differences(left, without)));
                left = without;
            }
            assertThat(ofSettings(differences(left, unset))).as("fields that no constant of Setting resets")
                    .isEmpty();
            owners.removeIf("layers"::equals);
            assertThat(owners).doesNotHaveDuplicates();
        }
    }

    @Test
    void anHeirTakesOverWhatIsDeclared() throws ReflectiveOperationException {
        try (var scope = child("full").carry(ContextCarrier.mdc()).nameActorsInMdc().open()) {
            var full = full((Scope) scope);
            for (var heir : Heir.values()) {
                var taken = Setting.handDown(full, heir);
                for (var setting : Setting.values()) {
                    if (setting != Setting.STRATEGY) {
                        assertThat(ofSettings(differences(taken, setting.without(taken))).isEmpty())
                                .as(heir + " " + setting).isNotEqualTo(setting.heirs.contains(heir));
                    }
                }
            }
        }
    }

    /** The rows of the table with this header. */
    private static List<String> table(String header) throws IOException {
        var lines = Files.readAllLines(PAGE);
        var first = lines.indexOf(header);
        assertThat(first).as(header).isPositive();
        return lines.subList(first + 2, lines.size()).stream().takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    private static String row(Setting setting) {
        return "| `" + setting.method + "` | "
                + Stream.of(Heir.values()).map(heir -> setting.heirs.contains(heir) ? "yes" : "–")
                        .collect(joining(" | "))
                + " | " + Stream.of(Form.values()).filter(setting.refusals::containsKey)
                        .map(form -> form.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .collect(joining(", "))
                + " |";
    }

    @Test
    void thePageOfTheArchitectureSaysWhoGetsASetting() throws IOException {
        assertThat(table("| setting | inner | crew | worker | key | own | service | refused by |"))
                .containsExactlyElementsOf(Stream.of(Setting.values()).map(SettingTest::row).toList());
    }

    /** Of what a scope has for itself, the page says what a scope inside it gets. */
    @Test
    void thePageOfTheArchitectureSaysWhatAScopeInsideGets() throws Exception {
        var rows = table("| of a scope | what a scope inside it has |");
        var actual = new TreeSet<String>();
        var said = new TreeSet<String>();
        var declared = Stream.of(Setting.values()).filter(setting -> setting != Setting.STRATEGY)
                .map(setting -> setting.method).collect(toSet());
        for (var method : settings(ScopeBuilder.class)) {
            if (!declared.contains(method.getName())) {
                var before = child("scope");
                var changed = set(before, method);
                var inside = ScopeSpec.inside((Scope) ActorSystem.root(), changed, "inside");
                var field = differences(before, changed);
                assertThat(field).as(method.getName()).hasSize(1);
                actual.add(method.getName()
                        + (differences(changed, inside).containsAll(field) ? "" : " the same"));
                rows.stream().filter(row -> row.startsWith("| `" + method.getName() + "` |"))
                        .map(row -> method.getName() + (row.endsWith("| the same |") ? " the same" : ""))
                        .forEach(said::add);
            }
        }
        assertThat(said).isEqualTo(actual);
        assertThat(rows).hasSameSizeAs(said);
    }
}
