package io.fibry.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = MainCode.classes();
    private static final Set<String> SLICES =
            Set.of("event", "time", "net", "internal", "internal.net", "internal.stereotype");

    private static void assertCalledOnlyIn(String owner, Set<String> methods, String... allowed) {
        var forbidden = new DescribedPredicate<JavaAccess<?>>(owner + methods) {
            @Override
            public boolean test(JavaAccess<?> access) {
                AccessTarget target = access.getTarget();
                return target.getOwner().getName().equals(owner) && methods.contains(target.getName());
            }
        };
        var others = DescribedPredicate.<JavaClass>describe("not in " + List.of(allowed),
                type -> !List.of(allowed).contains(outermost(type).getSimpleName()));
        noClasses().that(others).should().accessTargetWhere(forbidden).check(CLASSES);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
    }

    @Test
    void timeComesInThroughOneAdapter() {
        assertCalledOnlyIn("java.lang.System", Set.of("nanoTime", "currentTimeMillis"), "SystemNanos");
        assertCalledOnlyIn("java.lang.Thread", Set.of("sleep"));
        assertCalledOnlyIn("java.util.concurrent.locks.LockSupport", Set.of("parkNanos", "parkUntil"),
                "TimerQueue", "Gate"); // a gate: on platform threads of the program alone
    }

    @Test
    void randomnessComesInThroughOneAdapter() {
        assertCalledOnlyIn("java.lang.Math", Set.of("random"));
        assertCalledOnlyIn("java.util.concurrent.ThreadLocalRandom", Set.of("current"), "SystemRandom");
        assertCalledOnlyIn("java.util.Random", Set.of("<init>"));
    }

    @Test
    void threadsAreMadeInFewPlaces() {
        assertCalledOnlyIn("java.lang.Thread",
                Set.of("startVirtualThread", "ofVirtual", "ofPlatform", "<init>"),
                "Strategies", "OwnThread", "SystemTime", "AtShutdown", "KeepAliveThread", "WatchdogThread",
                "CarrierProbe", "LostReplies", "JfrFlight");
    }

    /** A thread of the engine outlives the one that makes it, and must not keep what that has bound. */
    @Test
    void noThreadInheritsWhatItsMakerHasBound() {
        var makers = CLASSES.stream().flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> calls(unit, "ofPlatform") + calls(unit, "ofVirtual") > 0).toList();
        assertThat(makers).hasSizeGreaterThan(5);
        assertThat(makers).allSatisfy(unit -> assertThat(calls(unit, "inheritInheritableThreadLocals"))
                .as("%s", unit).isEqualTo(calls(unit, "ofPlatform") + calls(unit, "ofVirtual")));
        assertCalledOnlyIn("java.lang.Thread", Set.of("startVirtualThread"));
    }

    private static long calls(JavaCodeUnit unit, String method) {
        return unit.getMethodCallsFromSelf().stream().filter(call -> call.getName().equals(method)).count();
    }

    @Test
    void nothingIsSynchronized() throws IOException {
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CLASSES);
        assertThat(classesWithMonitors(MainCode.compiled())).isEmpty();
    }

    /** The search itself can find something. */
    @Test
    void aSynchronizedBlockIsFound() throws IOException {
        var ours = "io/fibry/architecture/ArchitectureTest$WithMonitor.class";
        try (var in = getClass().getClassLoader().getResourceAsStream(ours)) {
            assertThat(hasMonitor(in.readAllBytes())).isTrue();
        }
    }

    static final class WithMonitor {
        int guarded(Object lock) {
            synchronized (lock) {
                return 1;
            }
        }
    }

    private static List<Path> classesWithMonitors(Path root) throws IOException {
        var found = new ArrayList<Path>();
        try (var files = Files.walk(root)) {
            for (var file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                if (hasMonitor(Files.readAllBytes(file))) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static boolean hasMonitor(byte[] classFile) {
        var found = new boolean[1];
        new ClassReader(classFile).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInsn(int opcode) {
                        found[0] |= opcode == Opcodes.MONITORENTER;
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG);
        return found[0];
    }

    @Test
    void packagesBelowTheApiDependOnEachOtherInOneDirection() {
        slices().assignedFrom(new SliceAssignment() {
            @Override
            public String getDescription() {
                return "packages below io.fibry";
            }

            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                var name = type.getPackageName().replaceFirst("^io\\.fibry\\.?", "");
                return SLICES.contains(name) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
            }
        }).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void theApiTouchesTheEngineInFewPlaces() {
        var doors = CLASSES.stream().filter(type -> !type.getPackageName().startsWith("io.fibry.internal"))
                .filter(type -> type.getDirectDependenciesFromSelf().stream().anyMatch(
                        dependency -> dependency.getTargetClass().getPackageName()
                                .startsWith("io.fibry.internal")))
                .map(type -> outermost(type).getName()).collect(Collectors.toSet());

        // ActorBuilder also names its implementation, which is no dependency to the tool. The last four check and decode texts.
        assertThat(doors).containsExactlyInAnyOrder(
                "io.fibry.ActorSystem", "io.fibry.ContextCarrier",
                "io.fibry.CreationStrategy", "io.fibry.Stereotypes",
                "io.fibry.function.Handler", "io.fibry.net.HttpAnswer", "io.fibry.net.HttpCall",
                "io.fibry.net.HttpJson", "io.fibry.net.HttpParameters");
    }

    @Test
    void noClassIsCalledAfterNothing() {
        noClasses().should().haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Common)").check(CLASSES);
    }
}
