package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users see names only what users may see. */
class PublicSignaturesTest {
    private static final String INTERNAL = "io.fibry.internal";

    @Test
    void onlyTheApiIsExported() throws Exception {
        assertThat(MainCode.exportedPackages()).isNotEmpty().noneMatch(name -> name.startsWith(INTERNAL));
        assertThat(MainCode.module().opens()).isEmpty();
    }

    @Test
    void noPublicSignatureNamesAnInternalType() throws Exception {
        var offenders = new ArrayList<String>();
        for (var type : MainCode.exportedTypes()) {
            for (var member : members(type)) {
                if (named(member).anyMatch(PublicSignaturesTest::isInternal)) {
                    offenders.add(String.valueOf(member));
                }
            }
            if (inherited(type).anyMatch(PublicSignaturesTest::isInternal)) {
                offenders.add(type.toGenericString());
            }
        }
        assertThat(offenders).isEmpty();
    }

    /** The permits clause is a part of the signature. */
    @Test
    void noTypeIsSealedToAnInternalType() throws Exception {
        assertThat(MainCode.exportedTypes().stream().filter(Class::isSealed)
                .filter(type -> Arrays.stream(type.getPermittedSubclasses())
                        .anyMatch(PublicSignaturesTest::isInternal)))
                .isEmpty();
    }

    @Test
    void nounsGoWithoutGet() throws Exception {
        assertThat(MainCode.exportedTypes().stream().flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(PublicSignaturesTest::isVisible).map(Method::getName))
                .noneMatch(name -> name.matches("get[A-Z].*")); // HttpRoutes.get is a verb of HTTP
    }

    private static boolean isInternal(Type type) {
        return type.getTypeName().startsWith(INTERNAL);
    }

    private static boolean isVisible(Member member) {
        return Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers());
    }

    private static List<Member> members(Class<?> type) {
        return Stream
                .<Member[]>of(type.getDeclaredFields(), type.getDeclaredMethods(),
                        type.getDeclaredConstructors())
                .flatMap(Arrays::stream).filter(PublicSignaturesTest::isVisible).filter(m -> !m.isSynthetic())
                .toList();
    }

    private static Stream<Type> inherited(Class<?> type) {
        var above = Stream.concat(Stream.ofNullable(type.getGenericSuperclass()),
                Arrays.stream(type.getGenericInterfaces()));
        return Stream.concat(above.flatMap(PublicSignaturesTest::parts), bounds(type));
    }

    private static Stream<Type> named(Member member) {
        if (member instanceof Field field) {
            return parts(field.getGenericType());
        }
        var executable = (Executable) member;
        var types = new ArrayList<Type>(List.of(executable.getGenericParameterTypes()));
        types.addAll(List.of(executable.getGenericExceptionTypes()));
        if (executable instanceof Method method) {
            types.add(method.getGenericReturnType());
        }
        return Stream.concat(types.stream().flatMap(PublicSignaturesTest::parts), bounds(executable));
    }

    private static Stream<Type> bounds(GenericDeclaration declaration) {
        return Arrays.stream(declaration.getTypeParameters()).flatMap(p -> Arrays.stream(p.getBounds()))
                .flatMap(PublicSignaturesTest::parts);
    }

    private static Stream<Type> parts(Type type) {
        return switch (type) {
            case ParameterizedType generic -> Stream.concat(Stream.of(generic.getRawType()),
                    Arrays.stream(generic.getActualTypeArguments()).flatMap(PublicSignaturesTest::parts));
            case GenericArrayType array -> parts(array.getGenericComponentType());
            case WildcardType wildcard -> Stream.of(wildcard.getLowerBounds(), wildcard.getUpperBounds())
                    .flatMap(Arrays::stream).flatMap(PublicSignaturesTest::parts);
            case Class<?> raw when raw.isArray() -> parts(raw.getComponentType());
            default -> Stream.of(type);
        };
    }
}
